"""Medical volumes: numbers and elements behind text headers, and the descriptions of their folders."""
