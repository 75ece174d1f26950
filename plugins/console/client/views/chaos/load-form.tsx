/** The form of the load test. */
import { useState } from 'preact/hooks'
import { forbiddenHeaders, takesNoBody } from '../../lib/protocol/http.ts'
import { useKeys } from '../../lib/shell/keys.ts'
import { MAX_IN_FLIGHT, MAX_REQUESTS } from '../../lib/load/load.ts'
import { faultHeaders } from '../../lib/instance/faults.ts'
import { activeGateway } from '../../lib/shell/storage.ts'
import { Button } from '../../ui/button.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { HeaderEditor } from '../../ui/header-list.tsx'
import { Panel } from '../../ui/view.tsx'
import { TargetSelect } from '../request/target.tsx'
import { currentRun, isRunning, startRun, stopRun } from './load-run.ts'
import { extras, faultsOf, planOf, problemsOf, type LoadForm } from './plan.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'QUERY']

export function LoadPanel({ form, onForm }: { form: LoadForm; onForm(changes: Partial<LoadForm>): void }) {
  const [gateway, setGateway] = useState(activeGateway)
  const { headers, body } = extras.value
  const isBusy = isRunning(currentRun.value)
  const problems = problemsOf(form)
  const isValid = Object.keys(problems).length === 0
  const toggle = () => (isBusy ? stopRun() : isValid ? void startRun(planOf(form, gateway)) : undefined)
  useKeys({ s: toggle })
  const dropped = forbiddenHeaders(headers)
  const faults = faultHeaders(faultsOf(form))

  return (
    <Panel title="Load test" class="chaos-load not-presented">
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          if (!isBusy) toggle()
        }}
      >
        <div class="chaos-line">
          <Select label="Method" value={form.method} onValue={method => onForm({ method })} options={METHODS} />
          <TextField mono label="Path" value={form.path} onValue={path => onForm({ path })} error={problems.path} />
        </div>
        <TargetSelect gateway={gateway} onGateway={setGateway} />
        <div class="chaos-numbers">
          <TextField
            type="number"
            label="Requests"
            min={1}
            max={MAX_REQUESTS}
            value={form.n}
            onValue={n => onForm({ n })}
            error={problems.n}
          />
          <TextField
            type="number"
            label="In flight"
            min={1}
            max={MAX_IN_FLIGHT}
            value={form.c}
            onValue={c => onForm({ c })}
            error={problems.c}
          />
          <TextField
            type="number"
            label="Per second"
            min={0}
            step="any"
            placeholder="No limit"
            value={form.rate}
            onValue={rate => onForm({ rate })}
            error={problems.rate}
          />
          <TextField
            type="number"
            label="Timeout (s)"
            min={1}
            max={120}
            value={form.timeout}
            onValue={timeout => onForm({ timeout })}
            error={problems.timeout}
          />
        </div>
        {faults.length > 0 && (
          <p class="hint">
            Sent with every request:{' '}
            {faults.map(({ name, value }) => (
              <code key={name} class="chaos-header">
                {name}: {value}
              </code>
            ))}
          </p>
        )}
        <details open={headers.length > 0 || body !== ''} class="chaos-more">
          <summary>Headers and body</summary>
          <div class="stack">
            <HeaderEditor
              headers={headers}
              onHeaders={next => {
                extras.value = { headers: next, body }
              }}
            />
            {dropped.length > 0 && <p class="hint">Browsers do not send {dropped.join(', ')}.</p>}
            {takesNoBody(form.method) ? (
              <p class="hint">Browsers send no body with {form.method}.</p>
            ) : (
              <TextArea
                mono
                label="Body"
                rows={4}
                value={body}
                onValue={next => {
                  extras.value = { headers, body: next }
                }}
              />
            )}
          </div>
        </details>
        <div class="actions">
          <Button kind="primary" icon="play" type="submit" disabled={isBusy || !isValid}>
            Start
          </Button>
          <Button icon="stop" kind="danger" disabled={!isBusy} onClick={stopRun}>
            Stop
          </Button>
          <span class="hint">
            Press <kbd>s</kbd> to start or stop
          </span>
        </div>
        <p class="hint">
          Over HTTP/1.1, browsers open about six connections per origin, and further requests wait for a free one. The
          latencies do not include this wait. For other origins, this requires the response header{' '}
          <code>Timing-Allow-Origin</code>.
        </p>
      </form>
    </Panel>
  )
}
