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
import type { Line, Version } from './types.ts'

export interface Card {
  skills?: { id: string; name: string; description?: string; tags?: string[]; examples?: string[] }[]
  capabilities?: Record<string, unknown>
  [member: string]: unknown
}

export async function loadCard(line: Line, version: Version, signal: AbortSignal): Promise<Card> {
  const { response } = await send({ method: 'GET', path: cardPath(line.agent, version), gateway: line.gateway, signal })
  const card = parseJson(await response.text()) as Card | undefined
  if (!response.ok || card === undefined) throw new Error(`The agent card request returned status ${response.status}.`)
  return card
}

export function CardTabs({ line, log }: { line: Line; log: MessageLog }) {
  return (
    <Tabs
      label="Cards"
      tabs={[
        {
          key: '1.0',
          title: 'Combined',
          content: () => <CardView key="1.0" line={line} load={signal => loadCard(line, '1.0', signal)} />,
        },
        {
          key: '0.3',
          title: '0.3',
          content: () => <CardView key="0.3" line={line} load={signal => loadCard(line, '0.3', signal)} />,
        },
        {
          key: 'extended',
          title: 'Extended',
          content: () => <CardView key="extended" line={line} load={() => new A2aClient(line, log).extendedCard()} />,
        },
      ]}
    />
  )
}

function CardView({ line, load }: { line: Line; load(signal: AbortSignal): Promise<unknown> }) {
  const { value, error } = useLoad(load, [line])
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
