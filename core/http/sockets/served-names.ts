/** Certificates of the HTTPS listener for hosts that plugins serve whole: one for exactly each name, by the demo CA. */
import { createSecureContext, type SecureContext } from 'node:tls'
import { BoundedMap } from '../../collections/bounded-map.ts'
import { type FindLeaf, isDnsName } from '../../pki/leaf-certificates.ts'
import type { PemPair } from '../../pki/authority.ts'

const MAX_KEPT = 256

export interface ServedNamesOptions {
  /** Whether a certificate is made for the name, in lower case. */
  isServed(name: string): boolean
  leafOf: FindLeaf
  /** PEM of the CA that client certificates are checked against. */
  ca: string
}

export class ServedNames {
  readonly #options: ServedNamesOptions
  /** Contexts with the certificate that they were made from, by name. */
  readonly #kept = new BoundedMap<{ pair: PemPair; context: SecureContext }>(MAX_KEPT)

  constructor(options: ServedNamesOptions) {
    this.#options = options
  }

  /** For `SNICallback`: the context of a server name; undefined for that of the listener. */
  readonly find = (serverName: string, done: (error: Error | null, context?: SecureContext) => void): void => {
    const name = serverName.toLowerCase()
    if (!isDnsName(name) || !this.#options.isServed(name)) return done(null)
    this.#options.leafOf(name).then(
      pair => done(null, this.#contextOf(name, pair)),
      (error: Error) => done(error),
    )
  }

  #contextOf(name: string, pair: PemPair): SecureContext {
    const known = this.#kept.get(name)
    if (known?.pair === pair) return known.context
    const { certificate, key } = pair
    const context = createSecureContext({ cert: certificate, key, ca: this.#options.ca, minVersion: 'TLSv1.2' })
    this.#kept.set(name, { pair, context })
    return context
  }
}
