"""Protocols of medical images: volumes of organs, structures and lesions."""
