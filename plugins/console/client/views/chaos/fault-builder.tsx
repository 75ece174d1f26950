/** Builds the headers that delay a request, make it fail or abort its connection. */
import { toCurl } from '../../lib/protocol/curl.ts'
import { ABORT_KINDS, declaredFaults, faultHeaders, joinFault, splitFault } from '../../lib/instance/faults.ts'
import { plugins } from '../../lib/instance/status.ts'
import { urlAt } from '../../lib/instance/gateway.ts'
import { reasonPhrase } from '../../lib/protocol/http.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/view.tsx'
import { faultsOf, type LoadForm } from './plan.ts'

const COMMON = ['400', '401', '403', '404', '408', '409', '422', '429', '500', '502', '503', '504']
const ABORT_MEANINGS: Record<(typeof ABORT_KINDS)[number], string> = {
  reset: 'reset: TCP reset before the response',
  close: 'close: closed before the response',
  empty: 'empty: headers without a body',
  truncate: 'truncate: half of the body',
  'bad-chunk': 'bad-chunk: invalid chunk',
  garbage: 'garbage: bytes that are not HTTP',
}

export function FaultPanel({ form, onForm }: { form: LoadForm; onForm(changes: Partial<LoadForm>): void }) {
  const headers = faultHeaders(faultsOf(form))
  const fail = splitFault(form.fail)
  const abort = splitFault(form.abort)
  const words = declaredFaults(plugins.value?.plugins ?? [])
  const isKnown = COMMON.includes(fail.kind) || fail.kind === '' || words.some(({ word }) => word === fail.kind)
  const statuses = isKnown ? COMMON : [fail.kind, ...COMMON]
  return (
    <Panel
      title="Faults on demand"
      class="not-presented"
      actions={
        headers.length > 0 && (
          <Button small kind="quiet" icon="close" onClick={() => onForm({ delay: '', fail: '', abort: '' })}>
            Clear
          </Button>
        )
      }
    >
      <p class="quiet-text">Any request can carry these headers. The load test sends the ones you set here.</p>
      <TextField
        type="number"
        label="Delay (ms)"
        min={0}
        placeholder="0"
        value={form.delay}
        onValue={delay => onForm({ delay })}
        hint="Limited by the instance's maximum delay."
      />
      <div class="chaos-fault">
        <Select
          label="Abort the connection"
          value={abort.kind}
          onValue={kind => onForm({ abort: joinFault({ ...abort, kind }) })}
          options={[
            { value: '', label: 'Off' },
            ...ABORT_KINDS.map(kind => ({ value: kind, label: ABORT_MEANINGS[kind] })),
          ]}
        />
        <Percent
          label="Abort percent"
          value={abort.percent}
          isOff={abort.kind === ''}
          onValue={percent => onForm({ abort: joinFault({ ...abort, percent }) })}
        />
      </div>
      <div class="chaos-fault">
        <Select
          label="Fail with"
          value={fail.kind}
          onValue={kind => onForm({ fail: joinFault({ ...fail, kind }) })}
          options={[
            { value: '', label: 'Off' },
            ...statuses.map(status => ({ value: status, label: `${status} ${reasonPhrase(Number(status))}` })),
            ...words.map(({ word, status, title }) => ({ value: word, label: `${word}: ${status} of ${title}` })),
          ]}
        />
        <Percent
          label="Fail percent"
          value={fail.percent}
          isOff={fail.kind === ''}
          onValue={percent => onForm({ fail: joinFault({ ...fail, percent }) })}
        />
      </div>
      {headers.length > 0 && (
        <Code
          label="Fault headers"
          wrap
          text={headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
          actions={
            <CopyButton
              small
              kind="quiet"
              text={toCurl({ method: form.method, url: urlAt(form.path, null), headers, body: null })}
            >
              Copy as curl
            </CopyButton>
          }
        />
      )}
    </Panel>
  )
}

function Percent({
  label,
  value,
  isOff,
  onValue,
}: {
  label: string
  value: string
  isOff: boolean
  onValue(value: string): void
}) {
  return (
    <TextField
      type="number"
      label={label}
      min={0}
      max={100}
      disabled={isOff}
      value={isOff ? '' : value}
      onValue={text => onValue(text === '' ? '0' : text)}
    />
  )
}
