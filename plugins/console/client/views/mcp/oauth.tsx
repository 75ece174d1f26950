/** Gets a token step by step, with one click per step, and shows each request. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { openWindow } from '../../lib/tokens/code-flow.ts'
import { useAction } from '../../lib/shell/hooks.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Facts, Panel } from '../../ui/view.tsx'
import { ExchangeList } from '../request/exchange-list.tsx'
import { START, STEPS, type Flow } from './oauth-steps.ts'
import type { Target } from './types.ts'

export function OAuthPanel({ target, onToken }: { target: Target; onToken(token: string): void }) {
  const [flow, setFlow] = useState<Flow>(START)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const step = STEPS[flow.done]
  const next = useAction(async () => {
    if (step === undefined) return
    const opened = step.needsWindow ? openWindow() : null
    running.current = new AbortController()
    const { found, exchange } = await step.run(flow, { target, opened, signal: running.current.signal })
    setFlow({
      ...flow,
      ...found,
      done: flow.done + 1,
      exchanges: exchange ? [exchange, ...flow.exchanges] : flow.exchanges,
    })
  })
  return (
    <Panel
      title="Authorization"
      actions={
        flow.done > 0 && (
          <Button
            small
            icon="replay"
            onClick={() => {
              next.clearError()
              setFlow(START)
            }}
          >
            Start over
          </Button>
        )
      }
    >
      <ol class="mcp-steps" aria-label="Steps">
        {STEPS.map(({ title, about }, at) => (
          <li
            key={title}
            class={at < flow.done ? 'done' : at === flow.done ? 'next' : ''}
            aria-current={at === flow.done ? 'step' : undefined}
          >
            <span class="mcp-step-mark">
              {at < flow.done ? (
                <>
                  <Icon name="check" />
                  <span class="off-screen">done</span>
                </>
              ) : (
                at + 1
              )}
            </span>
            <span>
              <strong>{title}</strong> <span class="quiet-text">{about}</span>
            </span>
          </li>
        ))}
      </ol>
      {next.error !== null && <Notice kind="bad">{next.error}</Notice>}
      <div class="actions">
        {step ? (
          <Button
            kind="primary"
            icon="arrow"
            busy={next.isRunning}
            onClick={() => void next.run()}
          >{`Next: ${step.title}`}</Button>
        ) : (
          <Button kind="primary" icon="play" onClick={() => onToken(flow.token!)}>
            Connect with the token
          </Button>
        )}
        {next.isRunning && step?.needsWindow && (
          <Button icon="stop" onClick={() => running.current?.abort()}>
            Cancel
          </Button>
        )}
      </div>
      {flow.authorization && (
        <Facts
          items={[
            ['Authorization request', <code key="url">{flow.authorizationUrl}</code>],
            [
              'Authorization response',
              <code key="response">{new URLSearchParams(flow.authorization).toString()}</code>,
            ],
          ]}
        />
      )}
      {flow.exchanges.length > 0 && <ExchangeList exchanges={flow.exchanges} />}
    </Panel>
  )
}
