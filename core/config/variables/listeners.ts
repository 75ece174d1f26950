/** Variables of listeners, and of the requests that they take. */
import { boolean, text, wholeNumber } from '../../contract/parsers.ts'
import {
  addressBlocks,
  basePath,
  bindAddress,
  corsOrigins,
  headerName,
  hostNames,
  proxyProtocol,
} from '../address-parsers.ts'
import { switched, row, type Variable } from './variable.ts'

const port = wholeNumber(0, 65535, 'port')

export const LISTENERS: readonly Variable[] = [
  row({
    name: 'SVC_HTTP_PORT',
    field: 'httpPort',
    parser: port,
    default: 80,
    shownAs: 'http_port',
    defaultText: '80, else the first free one of 8080 to 8089',
    description: 'Port of the HTTP listener; 0 picks a free port.',
  }),
  row({
    name: 'SVC_HTTPS_PORT',
    field: 'httpsPort',
    parser: port,
    default: 443,
    shownAs: 'https_port',
    defaultText: '443, else the first free one of 8443 to 8452',
    description: 'Port of the HTTPS listener; 0 picks a free port.',
  }),
  row({
    name: 'SVC_GRPC_PORT',
    field: 'grpcPort',
    parser: port,
    default: 50051,
    shownAs: 'grpc_port',
    defaultText: '50051, else the first free one of 50052 to 50060',
    description: 'Port of the gRPC listener (h2c and gRPC-Web); 0 picks a free port.',
  }),
  row({
    name: 'SVC_HOST',
    field: 'host',
    parser: bindAddress,
    default: '0.0.0.0',
    shownAs: 'host',
    description: 'Bind address of all listeners; `::` also accepts IPv4.',
  }),
  row({
    name: 'SVC_GRPC_ON_HTTP',
    field: 'grpcOnHttp',
    parser: boolean,
    default: false,
    shownAs: 'grpc_on_http',
    description: 'Serve HTTP/2 and the gRPC services on the HTTP and HTTPS ports too.',
  }),
  row({
    name: 'SVC_TLS_CERT',
    field: 'tlsCert',
    parser: text,
    default: 'certs/server.crt',
    shownAs: 'tls_cert',
    description: 'Path of the HTTPS certificate; the demo CA is stored in the same folder.',
  }),
  row({
    name: 'SVC_TLS_KEY',
    field: 'tlsKey',
    parser: text,
    default: 'certs/server.key',
    shownAs: 'tls_key',
    description: 'Path of the HTTPS private key.',
  }),
  row({
    name: 'SVC_MTLS_IN_HEADER',
    field: 'mtlsInHeader',
    parser: headerName,
    default: null,
    shownAs: 'mtls_in_header',
    description: 'Request header in which a gateway forwards the client certificate.',
  }),
  row({
    name: 'SVC_TRUST_FORWARD',
    field: 'trustForward',
    parser: boolean,
    default: false,
    shownAs: 'trust_forward',
    description:
      'Trust proxy headers (`Forwarded`, `X-Forwarded-*`, `X-Real-IP`) for client address, scheme, host and path prefix.',
  }),
  row({
    name: 'SVC_PROXY_PROTOCOL',
    field: 'proxyProtocol',
    parser: proxyProtocol,
    default: () => ({ http: 'off', https: 'off', grpc: 'off' }) as const,
    defaultText: 'off',
    shownAs: 'proxy_protocol',
    description:
      'Whether connections begin with a PROXY protocol header, whose source is the client: `off`, `optional` or `strict`, which closes connections without one; or a list by listener, such as `http=strict,https=optional`.',
  }),
  row({
    name: 'SVC_PROXY_PROTOCOL_FROM',
    field: 'proxyProtocolFrom',
    parser: addressBlocks,
    default: null,
    defaultText: 'everyone; no one in public mode',
    shownAs: 'proxy_protocol_from',
    description:
      'Comma-separated addresses and CIDR blocks of the load balancers whose PROXY protocol header is believed.',
  }),
  row({
    name: 'SVC_BASE_PATH',
    field: 'basePath',
    parser: basePath,
    default: null,
    shownAs: 'base_path',
    description:
      'Path prefix under which clients reach the service, such as `/svc`. It is added to every generated URL and accepted in front of every path. In generated URLs a trusted `X-Forwarded-Prefix` takes precedence.',
  }),
]

export const REQUESTS: readonly Variable[] = [
  row({
    name: 'SVC_REQUEST_TIMEOUT',
    field: 'requestTimeoutSecs',
    parser: wholeNumber(0, 86_400, 'seconds'),
    default: 120,
    shownAs: 'request_timeout_secs',
    description: 'Seconds a route has to send response headers before the client gets 503; 0 disables the timeout.',
  }),
  row({
    name: 'SVC_BODY_LIMIT',
    field: 'bodyLimit',
    parser: wholeNumber(1, 1_073_741_824, 'bytes'),
    default: 1_048_576,
    shownAs: 'body_limit',
    description: 'Maximum request body size in bytes; a larger body gets 413.',
  }),
  row({
    name: 'SVC_CORS_ORIGINS',
    field: 'corsOrigins',
    parser: corsOrigins,
    default: () => ['*'],
    defaultText: '*',
    shownAs: 'cors_allow_origins',
    emptyIsValue: true,
    description: 'Origins allowed by CORS; `off` or an empty value disables CORS.',
  }),
  row({
    name: 'SVC_HOSTS',
    field: 'hosts',
    parser: hostNames,
    default: () => [],
    defaultText: "the machine's own host name",
    shownAs: 'hosts',
    description:
      'Additional host names under which browsers on this machine may use the control plane, besides IP addresses and `localhost`. Pages served from these hosts count as same-origin.',
  }),
  row({
    name: 'SVC_FAST_PATHS',
    field: 'fastPaths',
    parser: switched,
    default: true,
    defaultText: '`on`',
    shownAs: 'fast_paths',
    description:
      'Send responses faster through undocumented Node APIs, with identical bytes; `off` uses only documented APIs.',
  }),
]
