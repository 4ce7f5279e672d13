# Dice in front of a USB camera, and its pages on port 8080: docs/laptop.md says how to run it.
FROM python:3.13-slim-trixie
WORKDIR /source
COPY requirements.lock requirements-gateway.lock requirements-build.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock -r requirements-gateway.lock -r requirements-build.lock
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation .
RUN useradd --create-home --groups video table
USER table
WORKDIR /home/table
EXPOSE 8080
ENTRYPOINT ["dicetable"]
CMD ["roll", "--web"]
