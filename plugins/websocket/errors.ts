/** What the plugin `websocket` refuses beside wrong parameters. */
import { HttpError } from 'svc/plugin'

/** 426 for a request without a handshake (RFC 9110, 15.5.22: `Upgrade` names the protocol). */
export function upgradeRequired(): HttpError {
  return new HttpError(426, { error: 'upgrade_required' }, { Upgrade: 'websocket', Connection: 'Upgrade' })
}
