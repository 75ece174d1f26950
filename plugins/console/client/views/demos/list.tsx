/** All demos by area. */
import { useRef, useState } from 'preact/hooks'
import { callJson } from '../../lib/instance/api.ts'
import { useKeys } from '../../lib/shell/keys.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { hashOf } from '../../lib/shell/router.ts'
import { Badge } from '../../ui/badge.tsx'
import { TextField } from '../../ui/field.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { ViewHeader } from '../../ui/view.tsx'
import type { DemoSummary } from './types.ts'

export function DemoList() {
  const loaded = useLoad(signal => callJson<{ demos: DemoSummary[] }>('_svc/demos', { signal }))
  const [search, setSearch] = useState('')
  const field = useRef<HTMLDivElement>(null)
  useKeys({ '/': () => field.current?.querySelector('input')?.focus() })
  const demos = (loaded.value?.demos ?? []).filter(demo => isFound(demo, search))
  const areas = [...new Set(demos.map(({ area }) => area))]
  return (
    <>
      <ViewHeader
        title="Demos"
        about="What a gateway does, step by step: traffic goes through it, and both sides show whether it was seen."
      />
      {loaded.error !== null && <Notice kind="bad">{loaded.error}</Notice>}
      <div ref={field} class="demos-search">
        <TextField label="Search" type="search" value={search} onValue={setSearch} placeholder="retry, envoy, tokens" />
      </div>
      {loaded.value === undefined && loaded.isLoading && <Loading />}
      {loaded.value !== undefined && demos.length === 0 && (
        <Empty title="No demo found">
          <p>Search for another word, or add your own demos to demos.folders of svc.yaml.</p>
        </Empty>
      )}
      {areas.map(area => (
        <section key={area} aria-labelledby={`demos-${area}`} class="demos-area">
          <h2 id={`demos-${area}`}>{titleOf(area)}</h2>
          <ul class="demos-cards">
            {demos
              .filter(demo => demo.area === area)
              .map(demo => (
                <Card key={demo.demo} {...demo} />
              ))}
          </ul>
        </section>
      ))}
    </>
  )
}

function Card({ demo, title, shows, minutes, gateways, reason, source }: DemoSummary) {
  return (
    <li class={reason === null ? 'demos-card' : 'demos-card demos-off'}>
      <h3>
        <a href={hashOf(`demos/${demo}`)}>{title}</a>
      </h3>
      <p>{shows}</p>
      <p class="quiet-text demos-facts">
        <span>{minutes} min</span>
        {gateways.length > 0 && <span>for {gateways.join(', ')}</span>}
        {source !== 'builtin' && <Badge>yours</Badge>}
      </p>
      {reason !== null && <p class="demos-reason">Not available: {reason}</p>}
    </li>
  )
}

function isFound({ demo, title, area, shows, feature, gateways }: DemoSummary, search: string): boolean {
  const text = [demo, title, area, shows, feature, ...gateways].join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}

const TITLES: Record<string, string> = { ai: 'AI', agents: 'Agents and tools' }

function titleOf(area: string): string {
  return TITLES[area] ?? `${area[0]!.toUpperCase()}${area.slice(1)}`
}
