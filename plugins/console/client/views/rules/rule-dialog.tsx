/** Dialog that stores a rule. */
import { useState } from 'preact/hooks'
import { ApiError, callJson, explain } from '../../lib/instance/api.ts'
import { parseJson } from '../../lib/protocol/http.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RULE_ROUTE, RuleText, useRuleSchema } from './rule-editor.tsx'

export interface RuleDraft {
  name: string
  /** The rule as JSON, without its name. */
  text: string
  /** The rule exists, so its name stays. */
  isStored: boolean
}

export function RuleDialog({
  draft,
  query,
  isInstance,
  onClose,
  onStored,
}: {
  draft: RuleDraft
  /** Scope of the rule, as a query with `?`. */
  query: string
  isInstance: boolean
  onClose(): void
  onStored(): void
}) {
  const [name, setName] = useState(draft.name)
  const [text, setText] = useState(draft.text)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const schema = useRuleSchema(RULE_ROUTE)

  async function store(): Promise<void> {
    const json = parseJson(text)
    if (json === undefined) return setProblem('This is not valid JSON.')
    if (!/^[A-Za-z0-9._-]{1,64}$/.test(name)) return setProblem('The name consists of letters, digits and . _ -')
    setBusy(true)
    try {
      await callJson(`_svc/rules/${name}${query}`, { method: 'PUT', json, admin: isInstance })
      onStored()
    } catch (error) {
      setProblem(problemOf(error))
    }
    setBusy(false)
  }

  return (
    <Dialog
      title={draft.isStored ? `Rule ${draft.name}` : 'New rule'}
      wide
      onClose={onClose}
      actions={
        <Button kind="primary" icon="check" busy={isBusy} onClick={() => void store()}>
          Store
        </Button>
      }
    >
      <div class="stack">
        {!draft.isStored && <TextField label="Name" mono value={name} onValue={setName} />}
        <div class="field">
          <span class="label">Rule</span>
          <RuleText schema={schema} text={text} onText={setText} />
          <p class="hint">
            <code>match</code> selects requests, <code>then</code> lists the steps: <code>delay</code>,{' '}
            <code>fail</code>, <code>abort</code>, <code>respond</code>, each with <code>times</code>. Storing resets
            the counters.{schema !== null && ' Ctrl+Space lists what is possible at the cursor.'}
          </p>
        </div>
        {problem !== null && <Notice kind="bad">{problem}</Notice>}
      </div>
    </Dialog>
  )
}

/** The place of a mistake in the rule, and how to correct it. */
function problemOf(error: unknown): string {
  const { at, details, remedy } = (error instanceof ApiError ? error.body : {}) as Record<string, string | undefined>
  if (details === undefined) return explain(error)
  return [at ? `${at}: ${details}` : details, remedy].filter(Boolean).join('; ')
}
