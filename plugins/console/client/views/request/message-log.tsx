/** The message log of a protocol: one line per message, which expands to the message and its HTTP headers. */
import { formatTime } from '../../lib/protocol/http.ts'
import type { LoggedMessage, MessageLog } from '../../lib/protocol/message-log.ts'
import { Badge, StatusBadge } from '../../ui/badge.tsx'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Fold } from '../../ui/fold.tsx'
import { HeaderList } from '../../ui/header-list.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'

export function MessagesPanel({ log, empty }: { log: MessageLog; empty: string }) {
  const messages = log.messages.value
  return (
    <Panel
      title="Messages"
      class="message-log"
      actions={
        messages.length > 0 && (
          <>
            <CopyButton small text={() => JSON.stringify(messages, null, 2)}>
              Copy all
            </CopyButton>
            <Button small icon="trash" onClick={() => log.clear()}>
              Clear
            </Button>
          </>
        )
      }
    >
      <div role="log" aria-label="Messages" aria-live="off" tabIndex={0} class="message-list">
        {messages.length === 0 ? (
          <Empty title="No messages yet">{empty}</Empty>
        ) : (
          messages.toReversed().map(message => <Message key={message.number} message={message} />)
        )}
      </div>
    </Panel>
  )
}

function Message({ message: { number, at, direction, title, isError, message, http } }: { message: LoggedMessage }) {
  const isSent = direction === 'sent'
  return (
    <Fold
      title={
        <>
          <span class="quiet-text number">{number}</span>
          <span class={`message-sign ${isSent ? 'sent' : 'received'}`} aria-hidden="true">
            {isSent ? '→' : '←'}
          </span>
          <span class="off-screen">{direction} </span>
          <span class="message-title mono">{title}</span>
          {isError && <Badge tone="bad">error</Badge>}
          {http.status === null ? <Badge>{http.method}</Badge> : <StatusBadge status={http.status} />}
        </>
      }
    >
      {() => (
        <div class="stack message-detail">
          <p class="hint">
            {formatTime(new Date(at).toISOString())}, {http.method} <code>{http.url}</code>
          </p>
          {message === null ? (
            <p class="quiet-text">No body.</p>
          ) : typeof message === 'string' ? (
            <pre class="message-text">{message.slice(0, 20_000)}</pre>
          ) : (
            <JsonTree value={message} depth={4} />
          )}
          {http.headers.length > 0 && (
            <section>
              <h3>{isSent ? 'Request headers' : 'Response headers'}</h3>
              <HeaderList headers={http.headers} label={`Headers of message ${number}`} />
            </section>
          )}
        </div>
      )}
    </Fold>
  )
}
