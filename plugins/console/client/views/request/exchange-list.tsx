/** Requests with their responses, newest first; the newest is open. */
import { formatMs } from '../../lib/protocol/http.ts'
import { toCurl } from '../../lib/protocol/curl.ts'
import type { SentExchange } from '../../lib/tokens/oauth.ts'
import { Badge, Method, StatusBadge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { HeaderList } from '../../ui/header-list.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'

/** Response headers that concern credentials and limits. */
const SHOWN_HEADERS = /^(?:www-authenticate|location|retry-after|x-svc-.*)$/i

export function ExchangeList({ exchanges }: { exchanges: readonly SentExchange[] }) {
  return (
    <ol class="tokens-exchanges" aria-label="Requests">
      {exchanges.map((exchange, at) => (
        <li key={exchange.sent.id}>
          <ExchangeItem exchange={exchange} isOpen={at === 0} />
        </li>
      ))}
    </ol>
  )
}

function ExchangeItem({
  exchange: { what, sent, status, headers, body },
  isOpen,
}: {
  exchange: SentExchange
  isOpen: boolean
}) {
  const shown = headers.filter(({ name }) => SHOWN_HEADERS.test(name))
  return (
    <details open={isOpen}>
      <summary>
        <span class="tokens-what">{what}</span> <Method method={sent.method} />{' '}
        <span class="mono tokens-path">{sent.path}</span> <StatusBadge status={status} />{' '}
        <span class="quiet-text">{sent.response && formatMs(sent.response.ms)}</span>
        {sent.gateway !== null && <Badge tone="accent">through {sent.gateway}</Badge>}
      </summary>
      <div class="stack">
        <CopyButton small class="tokens-curl" text={toCurl(sent)}>
          Copy as curl
        </CopyButton>
        {shown.length > 0 && <HeaderList label="Response headers" headers={shown} />}
        {typeof body === 'object' ? (
          <JsonTree value={body} />
        ) : body === '' ? (
          <p class="quiet-text">No body.</p>
        ) : (
          <Code label="Response body" text={String(body)} wrap />
        )}
      </div>
    </details>
  )
}
