# segmetry on the command line, as a user without rights: docker build -t segmetry . && docker run --rm -v "$PWD:/data:ro" segmetry score truth/ prediction/
# Write reports into a folder of their own: -v "$PWD/out:/out" … --report /out/report.html
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /src

FROM python:3.12-slim
COPY --from=build /wheels /wheels
RUN wheel="$(ls /wheels/segmetry-*.whl)" \
 && python -m pip install --no-cache-dir "${wheel}[all]" \
 && rm -rf /wheels \
 && useradd --uid 1000 --create-home segmetry
USER segmetry
WORKDIR /data
ENTRYPOINT ["segmetry"]
CMD ["--help"]
