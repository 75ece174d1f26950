/** TLS between the gateway and the upstream. */
import { defineCheck, note, pass, skip, warn, type Check } from '../../catalog/check.ts'
import { one } from '../builders.ts'

/** Certificates that a gateway must not accept. */
const WRONG = ['expired', 'wrong-host', 'unknown-ca'] as const

export const TLS_CHECKS: Check[] = [
  defineCheck({
    id: 'TLS-UPSTREAM',
    title: 'Certificates of the upstream are checked',
    group: 'trust',
    since: '2026.1',
    level: 'hazard',
    sources: [],
    when: { judgesRefusal: true, routes: WRONG.map(kind => `tls.${kind}`) },
    page: {
      sent: 'A GET on each route that leads to an upstream whose certificate is expired, for another host, or of an unknown authority.',
      expected: 'None of them arrives.',
      why: 'A gateway that accepts any certificate can be led to anybody in between.',
      configure: { nginx: 'proxy_ssl_verify on; proxy_ssl_trusted_certificate ca.pem; proxy_ssl_server_name on;' },
    },
    plan: ({ routes }) => ({
      connections: WRONG.filter(kind => routes.has(`tls.${kind}`)).map(kind => ({
        route: `tls.${kind}`,
        requests: [{ label: kind }],
      })),
    }),
    judge({ calls }) {
      const arrived = calls.filter(({ count }) => count > 0)
      const plain = arrived.filter(({ arrival }) => arrival!.record.tls === null).map(({ label }) => label)
      if (plain.length > 0) return skip(`the route does not lead to the upstream over TLS: ${plain.join(', ')}`)
      const accepted = arrived.map(({ label }) => label)
      return accepted.length === 0 ? pass() : warn(`accepted: ${accepted.join(', ')}`, { accepted })
    },
  }),
  defineCheck({
    id: 'TLS-SNI',
    title: 'Handshake with the upstream',
    group: 'trust',
    since: '2026.1',
    level: 'observation',
    sources: [],
    when: { judgesRefusal: true },
    page: {
      sent: 'A GET, on the route tls.good if there is one.',
      expected: 'Server name, ALPN and version of the handshake with the upstream are reported.',
      why: 'Without a server name an upstream with several certificates shows the wrong one.',
      configure: { nginx: 'proxy_ssl_server_name on; proxy_ssl_name upstream.example;' },
    },
    plan: ({ routes }) => one({}, routes.has('tls.good') ? { route: 'tls.good' } : {}),
    judge({ first: { arrival, status } }) {
      if (arrival === null) return skip(`not forwarded: ${status ?? 'closed'}`)
      const { tls } = arrival.record
      if (tls === null) return skip('no TLS with the upstream')
      const { sni, alpn, version } = tls
      return note(`server name ${sni ?? 'none'}, ALPN ${alpn ?? 'none'}, ${version ?? 'unknown version'}`, {
        sni,
        alpn,
        version,
      })
    },
  }),
]
