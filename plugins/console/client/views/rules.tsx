/** Rules: faults and responses that are stored on the instance, in the order of evaluation. */
import { useState } from 'preact/hooks'
import { callJson } from '../lib/instance/api.ts'
import { formatAge, formatNumber } from '../lib/protocol/http.ts'
import { useAction, useLoad } from '../lib/shell/hooks.ts'
import { hashOf, route, setParams } from '../lib/shell/router.ts'
import { settings } from '../lib/shell/storage.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Switch } from '../ui/field.tsx'
import { Empty, Loading, Notice } from '../ui/notice.tsx'
import { Panel, ViewHeader } from '../ui/view.tsx'
import { RuleDialog, type RuleDraft } from './rules/rule-dialog.tsx'
import { countingText, matchText, stepTexts } from './rules/rule-text.ts'
import { draftFor, textOfRule, type RuleList, type RuleView } from './rules/types.ts'

const REFRESH_MS = 3000

export default function Rules() {
  const { params } = route.value
  const { session } = settings.value
  const scope = (of: string | null): string => (of === null ? '?scope=instance' : `?session=${encodeURIComponent(of)}`)
  const own = session === '' ? null : session
  const list = useLoad(
    signal => callJson<RuleList>(`_svc/rules${own === null ? '' : scope(own)}`, { signal }),
    [session],
    REFRESH_MS,
  )
  const [edited, setEdited] = useState<{ draft: RuleDraft; session: string | null } | null>(null)
  // A request of the live traffic, as a link.
  const [method, path] = [params.get('method'), params.get('path')]
  const linked =
    method !== null && path !== null
      ? { draft: { name: 'my-rule', text: draftFor(method, path), isStored: false }, session: own }
      : null
  const open = edited ?? linked
  const change = useAction(async (rule: RuleView, request: { method: string; json?: unknown }) => {
    await callJson(`_svc/rules/${rule.name}${scope(rule.session)}`, { ...request, admin: rule.session === null })
    await list.reload()
  })
  const close = () => {
    setEdited(null)
    setParams({ method: null, path: null })
  }
  const create = () =>
    setEdited({ draft: { name: 'my-rule', text: draftFor('GET', '/echo'), isStored: false }, session: own })
  const rules = list.value?.rules ?? []

  return (
    <>
      <ViewHeader
        title="Rules"
        about={`Faults and responses that the instance applies to matching requests, ${own === null ? 'of every client' : `for the session ${own}`}. The first rule that matches counts.`}
      >
        <Button kind="primary" icon="plus" onClick={create}>
          New rule
        </Button>
      </ViewHeader>
      {[list.error, change.error].map(error => error !== null && <Notice kind="bad">{error}</Notice>)}
      {open !== null && (
        <RuleDialog
          draft={open.draft}
          query={scope(open.session)}
          isInstance={open.session === null}
          onClose={close}
          onStored={() => {
            close()
            void list.reload()
          }}
        />
      )}
      <Panel title="Rules in order" hideTitle>
        {list.value === undefined ? (
          list.isLoading && <Loading />
        ) : rules.length === 0 ? (
          <Empty title="No rules yet">
            <p>
              A rule delays, fails, aborts or answers the requests that it matches. Make one of a request in the{' '}
              <a href={hashOf('traffic')}>live traffic</a>, or start from an example.
            </p>
            <Button kind="primary" icon="plus" onClick={create}>
              Start from an example
            </Button>
          </Empty>
        ) : (
          <ol class="rule-list" aria-label="Rules">
            {rules.map(rule => (
              <Rule
                key={`${rule.scope} ${rule.session} ${rule.name}`}
                rule={rule}
                isBusy={change.isRunning}
                onSwitch={isOn => void change.run(rule, { method: 'PATCH', json: { enabled: isOn } })}
                onEdit={() =>
                  setEdited({
                    draft: { name: rule.name, text: textOfRule(rule), isStored: true },
                    session: rule.session,
                  })
                }
                onRemove={() => void change.run(rule, { method: 'DELETE' })}
              />
            ))}
          </ol>
        )}
      </Panel>
    </>
  )
}

const STATES = { active: 'good', exhausted: 'warn', disabled: 'neutral' } as const

function Rule({
  rule,
  isBusy,
  onSwitch,
  onEdit,
  onRemove,
}: {
  rule: RuleView
  isBusy: boolean
  onSwitch(isOn: boolean): void
  onEdit(): void
  onRemove(): void
}) {
  const isOfFile = rule.file !== null
  const steps = stepTexts(rule)
  const counting = countingText(rule)
  return (
    <li class="rule-item">
      {isOfFile ? (
        <span />
      ) : (
        <Switch
          label={`${rule.name} is on`}
          hideLabel
          busy={isBusy}
          checked={rule.state !== 'disabled'}
          onChecked={onSwitch}
        />
      )}
      <div class="rule-text">
        <p>
          <strong>{rule.name}</strong> <Badge tone={STATES[rule.state]}>{rule.state}</Badge>{' '}
          <Badge>{rule.session === null ? 'instance' : `session ${rule.session}`}</Badge>
        </p>
        {rule.description && <p class="quiet-text">{rule.description}</p>}
        <p class="mono rule-match">{matchText(rule)}</p>
        {steps.length === 1 ? (
          <p class="rule-then">{steps[0]}</p>
        ) : (
          <ol class="rule-then" aria-label="Steps">
            {steps.map((step, index) => (
              <li key={index} aria-current={index === rule.step ? 'step' : undefined}>
                {step}
                {index === rule.step && (
                  <>
                    {' '}
                    <Badge tone="info">next</Badge>
                  </>
                )}
              </li>
            ))}
          </ol>
        )}
        {counting !== '' && <p class="hint">{counting}</p>}
        {isOfFile && (
          <p class="hint">
            from <code>{[rule.file, rule.line].filter(part => part !== null).join(':')}</code>; change it there
          </p>
        )}
      </div>
      <p class="rule-counts">
        <a href={hashOf('traffic', { filter: `rule:${rule.name}` })}>
          <strong>{formatNumber(rule.hits)}</strong> {rule.hits === 1 ? 'hit' : 'hits'}
        </a>
        <span class="hint">
          {rule.matches !== rule.hits && `of ${formatNumber(rule.matches)} matches, `}
          {rule.last_hit_at === null ? 'never used' : lastText(rule.last_hit_at)}
        </span>
      </p>
      <div class="actions">
        {!isOfFile && (
          <>
            <Button small icon="edit" onClick={onEdit}>
              Edit<span class="off-screen"> {rule.name}</span>
            </Button>
            <Button small kind="danger" icon="trash" iconOnly disabled={isBusy} onClick={onRemove}>
              {`Remove ${rule.name}`}
            </Button>
          </>
        )}
      </div>
    </li>
  )
}

function lastText(lastHitAt: string): string {
  const age = formatAge(lastHitAt)
  return age === 'now' ? 'last just now' : `last ${age} ago`
}
