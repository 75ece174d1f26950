/** The dialog "Go to" (Ctrl+K): searches views, endpoints, mocks and tools (WAI-ARIA combobox with a list). */
import { useMemo, useRef, useState } from 'preact/hooks'
import { openDialog } from '../lib/shell/dialogs.ts'
import { useLoad } from '../lib/shell/hooks.ts'
import { listPlaces, type Place } from '../lib/shell/places.ts'
import { hashOf } from '../lib/shell/router.ts'
import { Dialog } from '../ui/dialog.tsx'
import { shownViews } from './current-view.ts'

const MAX_SHOWN = 50

export function GoTo() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const { value: more = [] } = useLoad(() => listPlaces(shownViews.peek().map(({ key }) => key)))
  const found = useMemo(() => {
    const views: Place[] = shownViews.value.map(({ key, title }) => ({ kind: 'View', title, hash: hashOf(key) }))
    return rank([...views, ...more], text).slice(0, MAX_SHOWN)
  }, [text, more, shownViews.value])
  const close = () => {
    openDialog.value = null
  }

  function choose(place: Place | undefined): void {
    if (place === undefined) return
    close()
    location.hash = place.hash
  }

  function onKey(event: KeyboardEvent): void {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key]
    if (to !== undefined && found.length > 0) {
      const next = (to + found.length) % found.length
      setAt(next)
      list.current?.children[next]?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') choose(found[at])
    else return
    event.preventDefault()
  }

  return (
    <Dialog title="Go to" class="go-to" onClose={close}>
      <input
        type="text"
        role="combobox"
        aria-label="Go to"
        aria-expanded="true"
        aria-controls="places"
        aria-activedescendant={found.length > 0 ? `place-${at}` : undefined}
        aria-autocomplete="list"
        placeholder="Search views, endpoints, mocks and tools"
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={text}
        onKeyDown={onKey}
        onInput={event => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
      />
      <ul id="places" role="listbox" aria-label="Results" ref={list}>
        {found.map((place, index) => (
          <li
            key={`${place.kind} ${place.title} ${place.hash}`}
            id={`place-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => choose(place)}
            onMouseMove={() => setAt(index)}
          >
            <span class="place-kind">{place.kind}</span>
            <span class="place-title">{place.title}</span>
            {place.detail && <span class="place-detail">{place.detail}</span>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="quiet-text">No results.</p>}
    </Dialog>
  )
}

/** Places that contain all words, best match first: titles that start with the text, other titles, details. */
function rank(places: readonly Place[], text: string): Place[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const score = ({ title, detail = '' }: Place): number => {
    const name = title.toLowerCase()
    if (!words.every(word => name.includes(word) || detail.toLowerCase().includes(word))) return 0
    return words.length > 0 && name.startsWith(words[0]!) ? 3 : words.every(word => name.includes(word)) ? 2 : 1
  }
  return places
    .map(place => ({ place, rank: score(place) }))
    .filter(({ rank: points }) => points > 0)
    .sort((a, b) => b.rank - a.rank)
    .map(({ place }) => place)
}
