/** A push notification config, independent of the protocol version. */
import type { ProtocolVersion } from './version.ts'

/** Where notifications are sent: to a built-in sink, or to a URL. */
export type PushTarget = { sink: string } | { url: string }

export interface PushConfig {
  id: string
  /** As received, trimmed. */
  url: string
  /** Sent as `X-A2A-Notification-Token`. */
  token?: string
  authentication?: { scheme: string; credentials?: string }
  /** Version of the request that created it; notifications use the same version. */
  protocolVersion: ProtocolVersion
}

/** A config as received; the id is optional. */
export type PushConfigInput = Omit<PushConfig, 'id' | 'protocolVersion'> & { id?: string }
