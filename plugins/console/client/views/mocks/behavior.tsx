/** Rules and overrides, which change the responses of a mock. Changes take effect immediately. */
import { useState } from 'preact/hooks'
import { callJson } from '../../lib/instance/api.ts'
import { useAction, useLoad } from '../../lib/shell/hooks.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Select, Switch, TextField } from '../../ui/field.tsx'
import { FormWithJson } from '../../ui/form-with-json.tsx'
import { Empty, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { MOCK_RULE_ROUTE, RuleForm, useRuleSchema } from '../rules/rule-editor.tsx'
import { GRAPH_OVERRIDE_SCHEMA, NEW_RULE, OVERRIDE_SCHEMA } from './schemas.ts'
import type { Json, MockRecord, Operation, Rule } from './types.ts'

/** Name of "all operations" in the routes. */
const ALL = '*'
type Editing =
  | { kind: 'rule'; id: string | null; value: Json }
  | { kind: 'override'; operation: string; isNew: boolean; value: Json }

export function Behavior({ mock, onChange }: { mock: MockRecord; onChange(): void }) {
  const base = `_svc/mocks/${mock.name}`
  const [editing, setEditing] = useState<Editing | null>(null)
  const operations = useLoad(
    async signal =>
      (await callJson<{ operations: Operation[] }>(`${base}/operations`, { signal })).operations.map(({ key }) => key),
    [mock.name, mock.version],
  )
  const keys = operations.value ?? []
  const isGraph = mock.kind === 'graphql'
  const schema = useRuleSchema(MOCK_RULE_ROUTE)
  const write = useAction(async (method: string, path: string, json?: unknown) => {
    await callJson(`${base}/${path}`, { method, admin: true, ...(json === undefined ? {} : { json }) })
    onChange()
  })
  const edit = useAction(async (id: string) => {
    // Conditions in the older spelling are shown in the present one.
    const rule = await callJson<Rule>(`${base}/rules/${id}?translate=true`)
    setEditing({ kind: 'rule', id, value: { ...rule, enabled: rule.enabled ?? true } })
  })
  const save = useAction(async () => {
    if (editing === null) return
    if (editing.kind === 'rule')
      await callJson(editing.id === null ? `${base}/rules` : `${base}/rules/${editing.id}`, {
        method: editing.id === null ? 'POST' : 'PUT',
        admin: true,
        json: editing.value,
      })
    else
      await callJson(`${base}/overrides/${encodeURIComponent(editing.operation)}`, {
        method: 'PUT',
        admin: true,
        json: editing.value,
      })
    setEditing(null)
    onChange()
  })
  function move(index: number, by: number): void {
    const rules = [...mock.rules]
    rules.splice(index + by, 0, ...rules.splice(index, 1))
    void write.run('PUT', 'rules', rules)
  }

  return (
    <div class="stack">
      {write.error !== null && <Notice kind="bad">{write.error}</Notice>}
      {edit.error !== null && <Notice kind="bad">{edit.error}</Notice>}
      <Panel
        title="Rules"
        actions={
          <Button small icon="plus" onClick={() => setEditing({ kind: 'rule', id: null, value: NEW_RULE })}>
            Add rule
          </Button>
        }
      >
        {mock.rules.length === 0 ? (
          <Empty title="No rules">
            A rule changes the response if its conditions match, for example path, header, body, state or number of
            calls. The first matching rule applies.
          </Empty>
        ) : (
          <ol class="mocks-rules" aria-label="Rules">
            {mock.rules.map((rule, index) => (
              <li key={rule.id}>
                <Switch
                  hideLabel
                  label={`Rule ${rule.id}`}
                  checked={rule.enabled !== false}
                  onChecked={enabled => void write.run('PUT', `rules/${rule.id}`, { ...rule, enabled })}
                />
                <div class="mocks-rule-text">
                  <strong>{rule.name ?? rule.id}</strong> <Badge>{rule.operation ?? 'All operations'}</Badge>
                  <code class="ellipsis">{sentenceOf(rule)}</code>
                </div>
                <span class="actions">
                  <Button
                    small
                    kind="quiet"
                    icon="chevron"
                    class="mocks-up"
                    iconOnly
                    disabled={index === 0}
                    onClick={() => move(index, -1)}
                  >{`Move ${rule.id} up`}</Button>
                  <Button
                    small
                    kind="quiet"
                    icon="chevron"
                    class="mocks-down"
                    iconOnly
                    disabled={index === mock.rules.length - 1}
                    onClick={() => move(index, 1)}
                  >{`Move ${rule.id} down`}</Button>
                  <Button small icon="edit" iconOnly onClick={() => void edit.run(rule.id)}>{`Edit ${rule.id}`}</Button>
                  <Button
                    small
                    kind="danger"
                    icon="trash"
                    iconOnly
                    onClick={() => void write.run('DELETE', `rules/${rule.id}`)}
                  >{`Delete ${rule.id}`}</Button>
                </span>
              </li>
            ))}
          </ol>
        )}
      </Panel>
      <Panel
        title="Overrides"
        actions={
          <Button
            small
            icon="plus"
            onClick={() =>
              setEditing({ kind: 'override', operation: ALL, isNew: true, value: { enabled: true, fail_percent: 50 } })
            }
          >
            Add override
          </Button>
        }
      >
        {Object.keys(mock.overrides).length === 0 ? (
          <Empty title="No overrides">
            {isGraph
              ? 'An override changes a field (User.email), a type (Money), a place of the answer (/users/1/name) or all fields at the top: value, size of a list, error, delay or failure rate.'
              : 'An override changes the response of one operation or of all operations: status, body, delay or failure rate.'}
          </Empty>
        ) : (
          <ul class="mocks-rules" aria-label="Overrides">
            {Object.entries(mock.overrides).map(([operation, override]) => (
              <li key={operation}>
                <Switch
                  hideLabel
                  label={`Override ${operation}`}
                  checked={override.enabled !== false}
                  onChecked={enabled =>
                    void write.run('PUT', `overrides/${encodeURIComponent(operation)}`, { ...override, enabled })
                  }
                />
                <div class="mocks-rule-text">
                  <strong>{operation === ALL ? allOf(isGraph) : operation}</strong>
                  <code class="ellipsis">{JSON.stringify({ ...override, enabled: undefined })}</code>
                </div>
                <span class="actions">
                  <Button
                    small
                    icon="edit"
                    iconOnly
                    onClick={() =>
                      setEditing({
                        kind: 'override',
                        operation,
                        isNew: false,
                        value: { ...override, enabled: override.enabled ?? true },
                      })
                    }
                  >{`Edit override of ${operation}`}</Button>
                  <Button
                    small
                    kind="danger"
                    icon="trash"
                    iconOnly
                    onClick={() => void write.run('DELETE', `overrides/${encodeURIComponent(operation)}`)}
                  >{`Delete override of ${operation}`}</Button>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      {editing !== null && (
        <Dialog
          wide
          class="mocks-dialog"
          title={editing.kind === 'rule' ? (editing.id === null ? 'Add rule' : `Rule ${editing.id}`) : 'Override'}
          onClose={() => {
            setEditing(null)
            save.clearError()
          }}
          actions={
            <>
              <Button
                onClick={() => {
                  setEditing(null)
                  save.clearError()
                }}
              >
                Cancel
              </Button>
              <Button kind="primary" busy={save.isRunning} onClick={() => void save.run()}>
                Save
              </Button>
            </>
          }
        >
          <div class="stack">
            {editing.kind === 'override' && isGraph && (
              <>
                <TextField
                  mono
                  label="Place"
                  hint="A field such as User.email, a type, a place of the answer such as /users/*/name, or * for all fields at the top."
                  value={editing.operation}
                  disabled={!editing.isNew}
                  list="mocks-places"
                  onValue={operation => setEditing({ ...editing, operation })}
                />
                <datalist id="mocks-places">
                  {[ALL, ...keys].map(place => (
                    <option key={place} value={place} />
                  ))}
                </datalist>
              </>
            )}
            {editing.kind === 'override' && !isGraph && (
              <Select
                label="Operation"
                value={editing.operation}
                disabled={!editing.isNew}
                onValue={operation => setEditing({ ...editing, operation })}
                options={[{ value: ALL, label: allOf(isGraph) }, ...keys]}
              />
            )}
            {editing.kind === 'rule' ? (
              <RuleForm
                schema={schema}
                choices={{ operation: keys }}
                value={editing.value}
                onValue={value => setEditing({ ...editing, value: value as Json })}
              />
            ) : (
              <FormWithJson
                schema={isGraph ? GRAPH_OVERRIDE_SCHEMA : OVERRIDE_SCHEMA}
                label="Override"
                value={editing.value}
                onValue={value => setEditing({ ...editing, value: value as Json })}
              />
            )}
            {save.error !== null && (
              <Notice kind="bad" title="Not saved">
                {save.error}
              </Notice>
            )}
          </div>
        </Dialog>
      )}
    </div>
  )
}

const allOf = (isGraph: boolean): string => (isGraph ? 'All fields at the top' : 'All operations')

/** Conditions and outcome of a rule in one line. */
function sentenceOf({ when, match, then }: Rule): string {
  const conditions = Array.isArray(when)
    ? (when as Json[]).map(olderCondition).join(match === 'any' ? ' or ' : ' and ')
    : typeof match === 'object' && match !== null
      ? Object.entries(match)
          .map(([key, test]) => `${key} ${JSON.stringify(test)}`)
          .join(' and ')
      : ''
  return `${conditions === '' ? 'always' : conditions} → ${JSON.stringify(then)}`
}

function olderCondition({ in: place, name, pointer, jsonpath, op, value }: Json): string {
  return [place, name ?? pointer ?? jsonpath, op, value === undefined ? undefined : JSON.stringify(value)]
    .filter(part => part !== undefined)
    .join(' ')
}
