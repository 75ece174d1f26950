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
]
