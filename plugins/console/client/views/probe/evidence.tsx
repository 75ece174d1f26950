/** The evidence of a check: what was sent, arrived, was answered, and came back. */
import { formatBytes } from '../../lib/protocol/http.ts'
import { Code } from '../../ui/code.tsx'
import { Panel } from '../../ui/view.tsx'
import { VerdictBadge } from './checks-table.tsx'
import { sideText } from './side-text.ts'
import type { ReportedExchange, Result, Side } from './types.ts'

const MAX_SHOWN = 6

export function Evidence({ result, isRunning }: { result: Result; isRunning: boolean }) {
  const { exchanges = [], repeats = [], other_attempt: other } = result
  return (
    <Panel title="Evidence" class="probe-evidence">
      <p>
        <code>{result.id}</code> <VerdictBadge verdict={result.verdict} /> {result.title}
      </p>
      <p>{result.summary}</p>
      {result.reason !== null && <p class="quiet-text">{result.reason}</p>}
      {result.verdict === 'flaky' && <p class="quiet-text">Attempts: {repeats.join(', ')}</p>}
      {exchanges.length === 0 && (
        <p class="quiet-text">
          {isRunning
            ? 'The messages appear here when the run has ended.'
            : 'The report has the messages of checks that found something, not of this one.'}
        </p>
      )}
      <Exchanges exchanges={exchanges} />
      {other !== undefined && (
        <>
          <p>
            First attempt: <VerdictBadge verdict={other.verdict} /> {other.summary}
          </p>
          <Exchanges exchanges={other.exchanges} />
        </>
      )}
    </Panel>
  )
}

function Exchanges({ exchanges }: { exchanges: readonly ReportedExchange[] }) {
  return (
    <>
      {exchanges.slice(0, MAX_SHOWN).map(({ step, sent, arrived, answered, came_back: cameBack }, index) => (
        <div key={index} class="probe-sides" role="group" aria-label={`Step ${step}`}>
          <SideView title="Sent" sides={[sent]} />
          <SideView title="Arrived" sides={arrived} />
          <SideView title="Answered" sides={answered === null ? [] : [answered]} />
          <SideView title="Came back" sides={cameBack === null ? [] : [cameBack]} />
        </div>
      ))}
      {exchanges.length > MAX_SHOWN && (
        <p class="quiet-text">{exchanges.length - MAX_SHOWN} more exchanges are in the report.</p>
      )}
    </>
  )
}

function SideView({ title, sides }: { title: string; sides: readonly Side[] }) {
  return (
    <section class="request-section">
      <h3>{title}</h3>
      {sides.length === 0 && <p class="quiet-text">nothing</p>}
      {sides.map((side, index) => (
        <div key={index}>
          <Code wrap text={visibleText(sideText(side))} label={title} />
          <p class="hint">
            {formatBytes(side.size)}
            {!('bytes' in side) && ' of content'}
            {side.truncated && ', the beginning is shown'}
            {side.ended !== null && `, connection: ${side.ended}`}
          </p>
        </div>
      ))}
    </section>
  )
}

/** Control characters other than the ends of lines as escapes, so that nothing in a message is invisible. */
function visibleText(bytes: string): string {
  return bytes.replaceAll('\r\n', '\n').replace(
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g,
    character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}
