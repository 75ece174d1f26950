/** Ids of credentials: the same for the same credential on every replica, without revealing it. */
import { createHmac } from 'node:crypto'
import { type Svc } from 'svc/plugin'
import { BoundedMap } from 'svc/toolkit'
import type { Credential } from '../headers/credentials.ts'

const DIGITS = 12
/** Longer credentials are not kept in memory. */
const MAX_REMEMBERED = 256

export class KeyIds {
  readonly #readSecret: () => Promise<Buffer>
  /** In memory, since the calculation takes measurable time. */
  readonly #known = new BoundedMap<string>(1000)
  #secret: Buffer | undefined

  constructor(svc: Svc<unknown>) {
    this.#readSecret = () => svc.secret('keys')
  }

  /** `none` without a credential. Rejects with `StateUnavailable` while the secret is unavailable. */
  async of(credential: Credential | null): Promise<string> {
    return credential === null ? 'none' : this.#idOf(credential, (this.#secret ??= await this.#readSecret()))
  }

  /** The ids of several credentials; `unknown` while the secret is unavailable. */
  async ofAll(credentials: readonly (Credential | null)[]): Promise<string[]> {
    if (this.#secret === undefined && credentials.some(credential => credential !== null))
      this.#secret = await this.#readSecret().catch(() => undefined)
    const secret = this.#secret
    return credentials.map(credential => {
      if (credential === null) return 'none'
      return secret === undefined ? 'unknown' : this.#idOf(credential, secret)
    })
  }

  #idOf({ source, value }: Credential, secret: Buffer): string {
    const text = `${source}\0${value}`
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const id = createHmac('sha256', secret).update(text).digest('hex').slice(0, DIGITS)
    if (text.length <= MAX_REMEMBERED) this.#known.set(text, id)
    return id
  }
}
