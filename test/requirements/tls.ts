/** Rules of the TLS endpoints. */
export default [
  {
    id: 'TLSZ-1',
    rule: 'Each endpoint is accepted or refused as the list says, whatever follows .tls. in the server name; one thing is wrong at a time',
    where: 'identity-next 11.1, 11.2',
  },
  {
    id: 'TLSZ-2',
    rule: 'Unknown kinds and other characters get the alert unrecognized_name; names without .tls. are unaffected',
    where: 'identity-next 11.1, 12',
  },
  { id: 'TLSZ-3', rule: 'Client certificates and ALPN are handled as the kind says', where: 'identity-next 11.2' },
  {
    id: 'TLSZ-4',
    rule: 'Certificates of CA, intermediate and endpoints can be downloaded, keys cannot',
    where: 'identity-next 11.3',
  },
  {
    id: 'TLSZ-5',
    rule: 'The certificate of revoked is revoked in the CRL, over OCSP and in the stapled response, others are good; staple-missing is must-staple without a staple',
    where: 'identity-next 11.2, 11.3',
  },
  {
    id: 'TLSZ-6',
    rule: 'Certificates carry the addresses of CRL, OCSP responder and issuer, below tls.base_url or the HTTP port on localhost',
    where: 'identity-next 11.3',
  },
  { id: 'TLSZ-7', rule: 'OCSP requests that cannot be read get malformedRequest', where: 'RFC 6960, 2.3' },
  {
    id: 'TLSZ-8',
    rule: 'The curl and openssl command lines of the list run unchanged and meet what the list says',
    where: 'identity-next 11.3',
  },
  {
    id: 'TLSZ-9',
    rule: 'Clients can resume sessions with endpoints, except with no-resumption',
    where: 'identity-next 11.2',
  },
  {
    id: 'TLSZ-10',
    rule: 'Endpoints serve HTTP/2 if the HTTPS listener does; drip-handshake sends its records in small pieces; addresses and resets work on all',
    where: 'identity-next 11.1, 11.2',
  },
  {
    id: 'TLSZ-11',
    rule: 'tls.ports gives endpoints ports of their own, which follow the configuration; none in public mode',
    where: 'identity-next 11.1, 13',
  },
  {
    id: 'TLSZ-12',
    rule: 'The number of connections to stall is bounded; further ones are closed at once, and other endpoints are unaffected',
    where: 'identity-next 12, 13',
  },
  {
    id: 'TLSZ-14',
    rule: 'On any date until 2099 the endpoints are accepted and refused for the same reasons; valid certificates are made again in time',
    where: 'identity-next 11.2, 11.4',
  },
  {
    id: 'TLSZ-13',
    rule: 'The documentation says for each name what curl, OpenSSL, Node, Go, Java and Chromium say',
    where: 'identity-next 11.2',
  },
]
