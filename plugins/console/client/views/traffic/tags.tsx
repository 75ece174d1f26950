/** The tags of a request in the list. */
import type { Entry } from '../../lib/protocol/http.ts'
import { attemptNumber, attemptText, type Attempt } from '../../lib/traffic/attempts.ts'
import { tagsOf } from '../../lib/traffic/tags.ts'
import { Badge } from '../../ui/badge.tsx'

export function Tags({
  entry,
  attempt,
  isNarrow,
}: {
  entry: Entry
  attempt: Attempt | undefined
  /** Shows one tag instead of two. The number of the others follows. */
  isNarrow: boolean
}) {
  const most = isNarrow ? 1 : 2
  const all = [
    ...(attempt === undefined
      ? []
      : [
          {
            text: isNarrow ? attemptNumber(attempt) : attemptText(attempt),
            tone: 'warn' as const,
            title: `${attemptText(attempt)}: the same request arrived several times, according to its request ID or trace`,
          },
        ]),
    ...tagsOf(entry),
  ]
  const others = all.slice(most).map(({ text }) => text)
  return (
    <span class="tags">
      {all.slice(0, most).map(({ text, tone, title }) => (
        <Badge key={text} tone={tone} title={title ?? text}>
          {text}
        </Badge>
      ))}
      {others.length > 0 && (
        <Badge key="" title={others.join(', ')}>
          +{others.length}
        </Badge>
      )}
    </span>
  )
}
