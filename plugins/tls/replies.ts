/** Schemas of the responses, for the OpenAPI document. */
import { ANY, BOOLEAN, INTEGER, jsonReply, list, object, TEXT, textReply } from 'svc/toolkit'

export const TLS = jsonReply(
  object({
    kind: ANY,
    server_name: ANY,
    protocol: ANY,
    cipher: ANY,
    alpn: ANY,
    client_certificate: ANY,
    resumed: BOOLEAN,
  }),
  'Tls',
)

export const SVC_TLS = jsonReply(
  object({
    suffix: TEXT,
    https_port: INTEGER,
    ca: TEXT,
    endpoints: list(
      object(
        {
          kind: TEXT,
          description: TEXT,
          server_name: TEXT,
          port: ANY,
          expect: TEXT,
          available: BOOLEAN,
          curl: TEXT,
          openssl: TEXT,
        },
        { error: TEXT },
      ),
    ),
  }),
  'Tls',
)

export const TLS_CA_PEM = textReply('application/x-pem-file')

export const TLS_CRL = textReply('application/pkix-crl')

export const TLS_OCSP_POST = textReply('application/ocsp-response')

export const TLS_CA_CRT = textReply('application/pkix-cert')
