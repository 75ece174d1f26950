/** Errors of the plugin `websocket`. */
import { HttpError } from 'svc/plugin'

/** 426 for a request that is not a handshake, with the protocol in `Upgrade` (RFC 9110, 15.5.22). */
export function upgradeRequired(): HttpError {
  return new HttpError(426, { error: 'upgrade_required' }, { Upgrade: 'websocket', Connection: 'Upgrade' })
}
