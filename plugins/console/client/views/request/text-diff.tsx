/** Line diff of two texts. The diff library is loaded on first use. */
import { useEffect, useState } from 'preact/hooks'
import { parseJson } from '../../lib/protocol/http.ts'
import { Loading } from '../../ui/notice.tsx'

interface Part {
  sign: ' ' | '-' | '+'
  lines: string[]
}

/** Unchanged lines to show before and after a change. */
const CONTEXT = 3
/** Gives up on texts that take too long to compare, so that the page stays responsive. */
const TIMEOUT_MS = 1000

export function TextDiff({ before, after }: { before: string; after: string }) {
  const [parts, setParts] = useState<Part[] | 'too much' | null>(null)
  useEffect(() => {
    let isGone = false
    void import('diff').then(({ diffLines }) => {
      const changes = diffLines(printed(before), printed(after), { timeout: TIMEOUT_MS })
      if (!isGone)
        setParts(
          changes === undefined
            ? 'too much'
            : changes.map(({ value, added, removed }) => ({
                sign: added ? '+' : removed ? '-' : ' ',
                lines: value.replace(/\n$/, '').split('\n'),
              })),
        )
    })
    return () => {
      isGone = true
    }
  }, [before, after])
  if (parts === null) return <Loading what="Comparing" />
  if (parts === 'too much') return <p class="quiet-text">The texts differ too much for a line-by-line comparison.</p>
  return (
    <div class="diff mono" role="group" aria-label="Differences" tabIndex={0}>
      {parts.map(({ sign, lines }, index) => (
        <Run key={index} sign={sign} lines={lines} isFirst={index === 0} isLast={index === parts.length - 1} />
      ))}
    </div>
  )
}

const CLASSES = { ' ': '', '-': 'removed', '+': 'added' } as const
const NAMES = { ' ': '', '-': 'removed: ', '+': 'added: ' } as const

function Run({ sign, lines, isFirst, isLast }: Part & { isFirst: boolean; isLast: boolean }) {
  const head = isFirst ? 0 : CONTEXT
  const tail = isLast ? 0 : CONTEXT
  const hidden = sign === ' ' ? lines.length - head - tail : 0
  const line = (text: string, index: number) => (
    <div key={index} class={`diff-line ${CLASSES[sign]}`}>
      <span class="sign" aria-hidden="true">
        {sign === '-' ? '−' : sign}
      </span>
      <span class="off-screen">{NAMES[sign]}</span>
      {text}
    </div>
  )
  if (hidden <= 1) return <>{lines.map(line)}</>
  return (
    <>
      {lines.slice(0, head).map(line)}
      <div class="diff-gap">{hidden} unchanged lines</div>
      {lines.slice(lines.length - tail).map(line)}
    </>
  )
}

/** Formats JSON, so that whitespace does not count as a difference. */
function printed(text: string): string {
  const value = parseJson(text)
  return value === undefined || typeof value !== 'object' ? text : JSON.stringify(value, null, 2)
}
