/** Method and path of a captured request, and its actions. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { copyText } from '../../lib/shell/clipboard.ts'
import { toCurl, toFetch, toHttpFile, type PrintableRequest } from '../../lib/protocol/curl.ts'
import { requestOf, targetHeaders, urlAt } from '../../lib/instance/gateway.ts'
import type { Arrived } from '../../lib/protocol/http.ts'
import { useKeys } from '../../lib/shell/keys.ts'
import { activeGateway } from '../../lib/shell/storage.ts'
import { Badge, Method } from '../../ui/badge.tsx'
import { Button, CopyButton } from '../../ui/button.tsx'
import { ReplayDialog } from './replay.tsx'

export interface RequestHeadProps {
  request: Arrived
  /** The instance no longer stores it. */
  isGone?: boolean
  /** Further actions, after those that every request has. */
  actions?: ComponentChildren
  onClose?(): void
}

/** The request to copy: sent to the current target, without headers that belong to the original connection. */
function printable(request: Arrived): PrintableRequest {
  const { method, path, headers = [], body = null } = requestOf(request)
  const gateway = activeGateway()
  return { method, url: urlAt(path, gateway), headers: targetHeaders(headers, gateway), body }
}

export function RequestHead({ request, isGone, actions, onClose }: RequestHeadProps) {
  const [isReplaying, setReplaying] = useState(false)
  useKeys({ c: () => void copyText(toCurl(printable(request))) })
  return (
    <header class="request-head">
      <div class="request-line">
        <Method method={request.method} />
        <h2 class="mono">
          {request.path}
          {request.query !== null && <span class="quiet-text">?{request.query}</span>}
        </h2>
        {onClose && (
          <Button class="request-close" kind="quiet" icon="close" iconOnly onClick={onClose}>
            Close request
          </Button>
        )}
      </div>
      <div class="actions not-presented">
        <CopyButton small text={() => toCurl(printable(request))}>
          Copy as curl
        </CopyButton>
        <CopyButton small text={() => toHttpFile(printable(request))}>
          .http
        </CopyButton>
        <CopyButton small text={() => toFetch(printable(request))}>
          fetch
        </CopyButton>
        <Button small icon="replay" onClick={() => setReplaying(true)}>
          Replay
        </Button>
        {actions}
        {isGone && (
          <Badge tone="warn" title="It was cleared, or newer requests replaced it. The details stay on screen.">
            no longer stored
          </Badge>
        )}
      </div>
      {isReplaying && <ReplayDialog entry={request} onClose={() => setReplaying(false)} />}
    </header>
  )
}
