/** Owns what a push notification config says, whichever generation it came in. */
import type { Generation } from '../wire/wire.ts'

export interface PushConfig {
  id: string
  /** Trimmed, as the client wrote it. */
  url: string
  /** Sent as `X-A2A-Notification-Token`. */
  token?: string
  authentication?: { scheme: string; credentials?: string }
  /** That of the request which made it: notifications have its shape. */
  generation: Generation
}

/** A config as sent, the id still open. */
export type PushConfigInput = Omit<PushConfig, 'id' | 'generation'> & { id?: string }
