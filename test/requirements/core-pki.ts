/** Rules of the demo PKI. */
export default [
  {
    id: 'PKI-1',
    rule: 'The CA is CN=svc Demo CA, a CA for certificates, CRLs and signatures (both extensions critical), valid for ten years',
    where: 'core 3',
  },
  {
    id: 'PKI-2',
    rule: 'The server certificate is CN=svc for localhost, 127.0.0.1, ::1 and svc, with serverAuth, valid for 825 days',
    where: 'core 3',
  },
  {
    id: 'PKI-3',
    rule: 'The client certificate is CN=demo-client, O=svc Demo, with clientAuth, valid for 825 days',
    where: 'core 3',
  },
  {
    id: 'PKI-4',
    rule: 'All certificates are P-256 with SHA-256, carry key identifiers, a random positive 16-byte serial, begin one day back, and pass strict verifiers',
    where: 'core 3',
  },
  { id: 'PKI-5', rule: 'Keys are PKCS#8 PEM, and on disk readable by the owner only', where: 'core 3' },
  {
    id: 'PKI-6',
    rule: 'The client pair is made anew at every start, and older ones stay valid while the CA lives',
    where: 'core 3',
  },
  {
    id: 'PKI-7',
    rule: 'Where no CA files are, a CA is made and written, missing folders included',
    where: 'core 3, CA files',
  },
  { id: 'PKI-8', rule: 'A demo CA with its key is used', where: 'core 3, CA files' },
  {
    id: 'PKI-9',
    rule: 'Foreign CA files stay untouched with a warning, and the next pair is tried',
    where: 'core 3, CA files',
  },
  {
    id: 'PKI-10',
    rule: 'A demo CA without its key, or with another, is replaced with a warning',
    where: 'core 3, CA files',
  },
  { id: 'PKI-11', rule: 'A CA that cannot be written is kept in memory with a warning', where: 'core 3, CA files' },
  { id: 'PKI-12', rule: 'When writing a pair fails, neither file is left', where: 'core 3, CA files' },
  {
    id: 'PKI-13',
    rule: 'With neither HTTPS file, a pair of the demo CA is generated and written',
    where: 'core 3, HTTPS pair',
  },
  {
    id: 'PKI-14',
    rule: 'With one HTTPS file, nothing is written or changed, and a generated pair is used in memory with a warning',
    where: 'core 3, HTTPS pair',
  },
  {
    id: 'PKI-15',
    rule: 'A pair of a demo CA that does not verify against the one in use is replaced, in memory if unwritable',
    where: 'core 3, HTTPS pair',
  },
  {
    id: 'PKI-16',
    rule: 'An HTTPS pair that does not belong together, cannot be parsed or is encrypted is an error that names both files, and stays as it is',
    where: 'core 3, HTTPS pair',
  },
  {
    id: 'PKI-17',
    rule: 'Any other HTTPS pair is used as it is: own certificates, expired ones, chain files',
    where: 'core 3, HTTPS pair',
  },
  {
    id: 'PKI-18',
    rule: 'A TLS connection with a client certificate that does not chain to the demo CA or lacks clientAuth is closed without an answer',
    where: 'core 3, client certificates',
  },
  {
    id: 'PKI-19',
    rule: 'A connection without a client certificate, resumed or not, has none',
    where: 'core 3, client certificates',
  },
  {
    id: 'PKI-20',
    rule: 'The certificate of the TLS connection comes before the one of the header',
    where: 'identity 12',
  },
  {
    id: 'PKI-21',
    rule: 'A header carries percent-encoded PEM, raw PEM whose line ends are newlines, blanks, tabs or gone, base64 DER, or that between colons',
    where: 'identity 12',
  },
  {
    id: 'PKI-22',
    rule: 'A certificate of the header is refused when it is a CA, of another issuer by name or signature, out of date, or not for client authentication',
    where: 'identity 12',
  },
  { id: 'PKI-23', rule: 'A header value that is no certificate, however hostile, is refused', where: 'identity 12' },
  {
    id: 'PKI-24',
    rule: 'Processes that start together on one folder end with the same CA and the same HTTPS pair',
    where: 'own decision, for replicas that share a volume',
  },
]
