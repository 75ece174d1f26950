/** Live traffic: what clients sent, what a gateway changed, and the response. */
import { signal } from '@preact/signals'
import { useMemo, useRef, useState } from 'preact/hooks'
import { attemptsOf } from '../lib/traffic/attempts.ts'
import { live, useLiveFeed } from '../lib/traffic/live.ts'
import { parseFilter, withPeriod } from '../lib/traffic/filter.ts'
import type { Entry } from '../lib/protocol/http.ts'
import { useKeys } from '../lib/shell/keys.ts'
import { isOwnPage } from '../lib/traffic/own-pages.ts'
import { isHealthProbe } from '../lib/traffic/probes.ts'
import { route, setParams } from '../lib/shell/router.ts'
import { settings } from '../lib/shell/storage.ts'
import { ViewHeader } from '../ui/view.tsx'
import { TrafficActions } from './traffic/actions.tsx'
import { TrafficHistogram } from './traffic/histogram.tsx'
import { FilterBar } from './traffic/filter-bar.tsx'
import { RequestList } from './traffic/list.tsx'
import { Selection } from './traffic/selection.tsx'

const pinned = signal<readonly Entry[]>([])

export default function Traffic() {
  const { params } = route.value
  const filterText = params.get('filter') ?? ''
  const feedState = useLiveFeed()
  const [isChoosing, setChoosing] = useState(false)
  const search = useRef<HTMLInputElement>(null)
  const { hidesProbes, showsOwnPages } = settings.value
  const filter = useMemo(() => parseFilter(filterText), [filterText])
  const all = useMemo(
    () => (showsOwnPages ? live.entries.value : live.entries.value.filter(entry => !isOwnPage(entry))),
    [showsOwnPages, live.entries.value],
  )
  const rows = useMemo(() => {
    const kept = all.filter(entry => filter.matches(entry) && !(hidesProbes && isHealthProbe(entry)))
    const pins = pinned.value
    return pins.length === 0 ? kept : [...pins, ...kept.filter(({ id }) => !pins.some(pin => pin.id === id))]
  }, [filter, hidesProbes, all, pinned.value])
  // Counted before filtering: attempts that the filter hides count too.
  const attempts = useMemo(() => attemptsOf(live.entries.value), [live.entries.value])

  const selected = params.get('id')
  const other = params.get('with')
  const isPinned = (id: string) => pinned.value.some(pin => pin.id === id)

  function select(entry: Entry): void {
    if (isChoosing && selected !== null && entry.id !== selected) {
      setChoosing(false)
      setParams({ with: entry.id })
    } else setParams({ id: entry.id, with: null })
  }

  function close(): void {
    setChoosing(false)
    setParams({ id: null, with: null })
  }

  useKeys({
    '/': () => search.current?.focus(),
    Escape: () => {
      if (isChoosing) setChoosing(false)
      else if (other !== null) setParams({ with: null })
      else if (selected !== null) close()
      else return false
      return undefined
    },
  })

  return (
    <>
      <ViewHeader title="Live traffic">
        <TrafficActions live={live} rows={rows} feedState={feedState} />
      </ViewHeader>
      <FilterBar
        inputRef={search}
        text={filterText}
        problems={filter.problems}
        onText={text => setParams({ filter: text || null })}
      />
      <TrafficHistogram onSelect={(from, to) => setParams({ filter: withPeriod(filterText, from, to) })} />
      <div class={`traffic-split ${selected === null ? '' : 'with-detail'}`}>
        <RequestList
          rows={rows}
          total={all.length}
          selected={selected}
          marked={other}
          isPinned={isPinned}
          live={live}
          attempts={attempts}
          hasFilter={filterText !== '' || hidesProbes}
          isChoosing={isChoosing}
          onSelect={select}
          onMark={entry => setParams(selected === null ? { id: entry.id } : { with: entry.id })}
        />
        {selected !== null && (
          <Selection
            key={`${selected} ${other}`}
            id={selected}
            other={other}
            known={[...pinned.value, ...live.entries.value]}
            onClose={close}
            isPinned={isPinned(selected)}
            isChoosing={isChoosing}
            onCompare={() => (other === null ? setChoosing(!isChoosing) : setParams({ with: null }))}
            onPin={entry => {
              pinned.value = isPinned(entry.id)
                ? pinned.value.filter(pin => pin.id !== entry.id)
                : [entry, ...pinned.value]
            }}
          />
        )}
      </div>
    </>
  )
}
