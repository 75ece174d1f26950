/** The tools, resources, templates and prompts of the server. */
import type { ComponentChildren } from 'preact'
import { Badge } from '../../ui/badge.tsx'
import { Panel } from '../../ui/view.tsx'
import type { Lists } from './types.ts'

export type Kind = 'tool' | 'resource' | 'template' | 'prompt'
export interface Choice {
  kind: Kind
  name: string
}

interface Item {
  name: string
  title?: string | undefined
  note?: ComponentChildren
}

export function OfferList({
  lists,
  choice,
  onChoice,
}: {
  lists: Lists
  choice: Choice | null
  onChoice(choice: Choice): void
}) {
  const sections: { kind: Kind; title: string; items: Item[] }[] = [
    {
      kind: 'tool',
      title: 'Tools',
      items: lists.tools.map(({ name, title, annotations }) => ({
        name,
        title,
        note: annotations?.destructiveHint === true && <Badge tone="warn">destructive</Badge>,
      })),
    },
    {
      kind: 'resource',
      title: 'Resources',
      items: lists.resources.map(({ uri, title, name }) => ({ name: uri, title: title ?? name })),
    },
    {
      kind: 'template',
      title: 'Templates',
      items: lists.templates.map(({ uriTemplate, title, name }) => ({ name: uriTemplate, title: title ?? name })),
    },
    { kind: 'prompt', title: 'Prompts', items: lists.prompts.map(({ name, title }) => ({ name, title })) },
  ]
  return (
    <Panel title="Available" class="mcp-catalog">
      {sections.map(({ kind, title, items }) => (
        <section key={kind}>
          <h3>
            {title} <span class="quiet-text">{items.length}</span>
          </h3>
          {items.length === 0 ? (
            <p class="quiet-text hint">None.</p>
          ) : (
            <ul aria-label={title}>
              {items.map(({ name, title: shown, note }) => (
                <li key={name}>
                  <button
                    type="button"
                    aria-pressed={choice?.kind === kind && choice.name === name}
                    onClick={() => onChoice({ kind, name })}
                  >
                    <span class="mono">
                      {name}
                      {note && <> {note}</>}
                    </span>
                    {shown && shown !== name && <span class="quiet-text">{shown}</span>}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </section>
      ))}
    </Panel>
  )
}
