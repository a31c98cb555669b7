# Builds the release of this clone, and installs it alone: no compiler, no sources, no tools of development.
#   docker build -t tidemark .
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
# the release is written from the clone as it is, with changes that wait for the next version
RUN node scripts/release.mjs --draft --out /release

FROM node:22-bookworm-slim
WORKDIR /opt/tidemark
COPY --from=build /release/package.json /release/package-lock.json /release/tidemark-*.tgz ./
# no install script has to run; the tarballs of the engines are large, so the cache goes at once
RUN npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
  && rm -rf /root/.npm ./*.tgz \
  && ln -s /opt/tidemark/node_modules/.bin/tidemark /usr/local/bin/tidemark \
  && mkdir /data && chown node:node /data && chmod 700 /data
USER node
ENV HOST=0.0.0.0 TIDEMARK_DATA=/data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8000) + '/_ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tidemark"]
CMD ["serve"]
