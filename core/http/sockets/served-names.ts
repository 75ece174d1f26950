/** Certificates of the HTTPS listener for hosts that plugins serve whole: one for exactly each name, by the demo CA. */
import { createSecureContext, type SecureContext } from 'node:tls'
import { BoundedMap } from '../../collections/bounded-map.ts'
import type { CertificateProfile } from '../../contract/observation.ts'

const MAX_KEPT = 256
/** Leaves are valid for longer. */
const KEPT_MS = 86_400_000
/** Letters, digits, `_` and hyphens in labels of up to 63 characters (RFC 1123, 2.1). */
const DNS_NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
/** Maximum length of a common name (RFC 5280, appendix A.1). */
const MAX_COMMON_NAME = 64

export interface ServedNamesOptions {
  /** Whether a certificate is made for the name, in lower case. */
  isServed(name: string): boolean
  issue(profile: CertificateProfile): Promise<{ certificate: string; key: string }>
  /** PEM of the CA that client certificates are checked against. */
  ca: string
}

interface Kept {
  context: Promise<SecureContext>
  madeAt: number
}

export class ServedNames {
  readonly #options: ServedNamesOptions
  readonly #kept = new BoundedMap<Kept>(MAX_KEPT)

  constructor(options: ServedNamesOptions) {
    this.#options = options
  }

  /** For `SNICallback`: the context of a server name; undefined for that of the listener. */
  readonly find = (serverName: string, done: (error: Error | null, context?: SecureContext) => void): void => {
    const name = serverName.toLowerCase()
    if (!DNS_NAME.test(name) || !this.#options.isServed(name)) return done(null)
    this.#contextOf(name).then(
      context => done(null, context),
      (error: Error) => done(error),
    )
  }

  #contextOf(name: string): Promise<SecureContext> {
    const known = this.#kept.get(name)
    if (known !== undefined && Date.now() - known.madeAt < KEPT_MS) return known.context
    const context = this.#make(name)
    this.#kept.set(name, { context, madeAt: Date.now() })
    context.catch(() => this.#kept.delete(name))
    return context
  }

  async #make(name: string): Promise<SecureContext> {
    const { issue, ca } = this.#options
    const subject = name.length <= MAX_COMMON_NAME ? `CN=${name}` : 'O=svc'
    const { certificate, key } = await issue({ subject, names: [name], usages: ['server'] })
    return createSecureContext({ cert: certificate, key, ca, minVersion: 'TLSv1.2' })
  }
}
