/** One request to a model: on the wire, as received by the instance, and as code. */
import { toCurl } from '../../lib/protocol/curl.ts'
import { formatMs } from '../../lib/protocol/http.ts'
import { Code } from '../../ui/code.tsx'
import { HeaderList } from '../../ui/header-list.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Method, StatusBadge } from '../../ui/badge.tsx'
import { Forwarded } from './forwarded.tsx'
import type { Frame, Run } from './types.ts'

export function Details({ run, code }: { run: Run | null; code(): string }) {
  const none = <Empty title="Nothing sent yet">Send a message to see its request here.</Empty>
  return (
    <Tabs
      label="Request parts"
      tabs={[
        { key: 'wire', title: 'Wire', content: () => (run?.sent ? <Wire run={run} /> : none) },
        {
          key: 'forwarded',
          title: 'Forwarded',
          content: () =>
            run?.sent ? (
              <Forwarded key={run.sent.id} sent={run.sent} isOver={run.state === 'done' || run.state === 'failed'} />
            ) : (
              none
            ),
        },
        { key: 'code', title: 'Code', content: () => <CodeTab run={run} code={code} /> },
      ]}
    />
  )
}

function Wire({ run: { sent, frames, frameCount } }: { run: Run }) {
  const { method, url, headers, body, response } = sent!
  const { pathname, search, host } = new URL(url)
  return (
    <div class="stack">
      <section class="ai-wire">
        <h3>
          Sent <span class="quiet-text">to {host}</span>
        </h3>
        <p class="ai-line">
          <Method method={method} />{' '}
          <code>
            {pathname}
            {search}
          </code>
        </p>
        <HeaderList label="Request headers" headers={headers} />
        <Code label="Request body" text={pretty(String(body ?? ''))} wrap />
      </section>
      {response && (
        <section class="ai-wire">
          <h3>
            Received <span class="quiet-text">headers after {formatMs(response.ms)}</span>
          </h3>
          <p>
            <StatusBadge status={response.status} withReason />
          </p>
          <HeaderList label="Response headers" headers={response.headers} />
          {frameCount === 1 ? (
            <Code label="Response body" text={pretty(frames[0]!.text)} wrap />
          ) : (
            <Frames frames={frames} count={frameCount} />
          )}
        </section>
      )}
    </div>
  )
}

/** Every frame with its time, and the time since the one before. */
function Frames({ frames, count }: { frames: readonly Frame[]; count: number }) {
  return (
    <>
      <p class="quiet-text">
        {count} frames{count > frames.length && `, showing the last ${frames.length}`}
      </p>
      <div class="ai-frames" role="log" aria-label="Frames" aria-live="off" tabIndex={0}>
        {frames.map(({ ms, event, text }, at) => (
          <div key={count - frames.length + at}>
            <span class="number">{formatMs(ms)}</span>
            <span class="number quiet-text">{at === 0 ? '' : `+${formatMs(ms - frames[at - 1]!.ms)}`}</span>
            <code>
              {event !== '' && <strong>{event} </strong>}
              {text}
            </code>
          </div>
        ))}
      </div>
    </>
  )
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function CodeTab({ run, code }: { run: Run | null; code(): string }) {
  return (
    <div class="stack">
      {run?.sent && (
        <section>
          <h3>curl</h3>
          <Code
            label="curl command"
            text={toCurl({
              ...run.sent,
              headers: run.sent.headers.filter(({ name }) => !/^x-(?:request-id|svc-console)$/i.test(name)),
            })}
            wrap
          />
        </section>
      )}
      <section>
        <h3>Vendor SDK</h3>
        <Code label="SDK code" text={code()} wrap />
      </section>
    </div>
  )
}
