/** Agent cards: the public ones of both protocol versions, and the extended one for authenticated clients. */
import { useLoad } from '../../lib/shell/hooks.ts'
import { send } from '../../lib/instance/gateway.ts'
import { parseJson } from '../../lib/protocol/http.ts'
import type { MessageLog } from '../../lib/protocol/message-log.ts'
import { Badge } from '../../ui/badge.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Loading, Notice } from '../../ui/notice.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { A2aClient, cardPath } from './client.ts'
import type { AgentTarget, Version } from './types.ts'

export interface Card {
  skills?: { id: string; name: string; description?: string; tags?: string[]; examples?: string[] }[]
  capabilities?: Record<string, unknown>
  [member: string]: unknown
}

/** `isLookUp`: the page needs the card, the user did not ask for it. */
export async function loadCard(
  target: AgentTarget,
  version: Version,
  signal: AbortSignal,
  isLookUp = false,
): Promise<Card> {
  const { response } = await send({
    method: 'GET',
    path: cardPath(target.agent, version),
    gateway: target.gateway,
    isLookUp,
    signal,
  })
  const card = parseJson(await response.text()) as Card | undefined
  if (!response.ok || card === undefined) throw new Error(`The agent card request returned status ${response.status}.`)
  return card
}

export function CardTabs({ target, log }: { target: AgentTarget; log: MessageLog }) {
  return (
    <Tabs
      label="Cards"
      tabs={[
        {
          key: '1.0',
          title: 'Combined',
          content: () => <CardView key="1.0" target={target} load={signal => loadCard(target, '1.0', signal)} />,
        },
        {
          key: '0.3',
          title: '0.3',
          content: () => <CardView key="0.3" target={target} load={signal => loadCard(target, '0.3', signal)} />,
        },
        {
          key: 'extended',
          title: 'Extended',
          content: () => (
            <CardView key="extended" target={target} load={() => new A2aClient(target, log).extendedCard()} />
          ),
        },
      ]}
    />
  )
}

function CardView({ target, load }: { target: AgentTarget; load(signal: AbortSignal): Promise<unknown> }) {
  const { value, error } = useLoad(load, [target])
  if (error !== null) return <Notice kind="warn">{error}</Notice>
  return value === undefined ? <Loading what="Reading the card" /> : <JsonTree value={value} depth={1} />
}

/** Skills with their examples, which fill in the message. */
export function Skills({ card, onExample }: { card: Card; onExample(text: string): void }) {
  return (
    <ul class="a2a-skills" aria-label="Skills">
      {card.skills?.map(({ id, name, description, examples = [], tags = [] }) => (
        <li key={id}>
          <p class="actions">
            <strong>{name}</strong>
            {tags.map(tag => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </p>
          {description && <p class="quiet-text">{description}</p>}
          <p class="actions">
            {examples.map(example => (
              <button
                key={example}
                type="button"
                class="button small a2a-example"
                title="Use as the message"
                onClick={() => onExample(example)}
              >
                {example}
              </button>
            ))}
          </p>
        </li>
      ))}
    </ul>
  )
}
