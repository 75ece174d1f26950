/** The list of captured requests. */
import { useEffect, useRef } from 'preact/hooks'
import { useMedia } from '../../lib/shell/hooks.ts'
import { formatAge, formatMs, formatTime, type Entry } from '../../lib/protocol/http.ts'
import { hasFollowed } from '../../lib/traffic/live.ts'
import type { LiveEntries } from '../../lib/traffic/live-entries.ts'
import { setParams } from '../../lib/shell/router.ts'
import { status } from '../../lib/instance/status.ts'
import { shortId } from '../../lib/instance/short-id.ts'
import { instanceBase } from '../../lib/instance/page.ts'
import type { Attempt } from '../../lib/traffic/attempts.ts'
import { Method, StatusBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TryCommand } from '../../ui/code.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Empty, Loading } from '../../ui/notice.tsx'
import { SendThrough } from '../request/send-through.tsx'
import { DataTable, type Column } from '../../ui/table.tsx'
import { Tags } from './tags.tsx'

export interface RequestListProps {
  rows: readonly Entry[]
  /** Before filtering. */
  total: number
  selected: string | null
  marked: string | null
  hasFilter: boolean
  /** The user is choosing a second request to compare. */
  isChoosing: boolean
  live: LiveEntries
  attempts: ReadonlyMap<string, Attempt>
  isPinned(id: string): boolean
  onSelect(entry: Entry): void
  onMark(entry: Entry): void
}

export function RequestList({
  rows,
  total,
  selected,
  marked,
  hasFilter,
  isChoosing,
  live,
  attempts,
  isPinned,
  onSelect,
  onMark,
}: RequestListProps) {
  const list = useRef<HTMLDivElement>(null)
  const isPhone = useMedia('(max-width: 720px)')
  const isNarrow = useMedia('(max-width: 1280px)')
  useHeldWhileSelecting(list, live)
  const columns: readonly Column<Entry>[] = [
    {
      key: 'time',
      title: 'Time',
      class: 'col-time',
      cell: ({ id, timestamp }) => (
        <>
          {isPinned(id) && <Icon name="pin" />}
          {formatTime(timestamp).slice(0, -4)}
          <span class="time-fraction">{formatTime(timestamp).slice(-4)}</span>
        </>
      ),
    },
    ...(isPhone
      ? [{ key: 'age', title: 'Age', class: 'col-age', cell: ({ timestamp }: Entry) => formatAge(timestamp) }]
      : []),
    { key: 'method', title: 'Method', class: 'col-method', cell: ({ method }) => <Method method={method} /> },
    {
      key: 'path',
      title: 'Path',
      class: 'col-path',
      cell: ({ path, query }) => (
        <span class="mono" title={path}>
          {path.slice(0, 300)}
          {query !== null && <span class="quiet-text">?{query.slice(0, 200)}</span>}
        </span>
      ),
    },
    {
      key: 'status',
      title: 'Status',
      class: 'col-status',
      cell: ({ status, ended }) => <StatusBadge status={status} ended={ended} />,
    },
    { key: 'latency', title: 'Latency', class: 'col-latency number', cell: ({ latency_ms: ms }) => formatMs(ms) },
    { key: 'client', title: 'Client', class: 'col-client', cell: ({ client_ip: ip }) => ip },
    // Most requests have no session, and an empty column takes the space of the path.
    ...(rows.some(({ session }) => session !== null)
      ? [{ key: 'session', title: 'Session', class: 'col-session', cell: ({ session }: Entry) => session ?? '' }]
      : []),
    ...(hasReplicas(rows)
      ? [
          {
            key: 'replica',
            title: 'Replica',
            class: 'col-replica',
            cell: ({ replica }: Entry) => shortId(replica ?? ''),
          },
        ]
      : []),
    {
      key: 'tags',
      title: 'Tags',
      class: 'col-tags',
      cell: entry => <Tags entry={entry} attempt={attempts.get(entry.id)} isNarrow={isNarrow} />,
    },
  ]
  return (
    <div class="panel traffic-list" ref={list}>
      {isChoosing && (
        <p class="traffic-hint" role="status">
          Choose the request to compare with.
        </p>
      )}
      <DataTable
        label="Requests"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        selected={selected}
        onSelect={onSelect}
        onMark={onMark}
        isMarked={({ id }) => id === marked}
        rowHeight={isPhone ? 4 : 2.25}
        empty={
          hasFilter && total > 0 ? (
            <Empty title={`None of the ${total} requests matches the filter`}>
              <Button icon="close" onClick={() => setParams({ filter: null })}>
                Clear the filter
              </Button>
            </Empty>
          ) : hasFollowed.value ? (
            <NothingYet />
          ) : (
            <Loading />
          )
        }
      />
    </div>
  )
}

/** Whether more than one replica received them. */
function hasReplicas(rows: readonly Entry[]): boolean {
  const first = rows[0]?.replica
  return rows.some(({ replica }) => replica !== first)
}

function NothingYet() {
  return (
    <Empty title={status.value?.load_mode === true ? 'Load mode captures no requests' : 'Waiting for requests'}>
      <p>Everything that reaches the instance appears here, newest first.</p>
      <section class="empty-card" aria-label="Send through my gateway">
        <h2>Send through my gateway</h2>
        <p class="hint">See in one click what the gateway adds, changes and removes.</p>
        <SendThrough />
      </section>
      <p>Or send one directly:</p>
      <TryCommand command={`curl ${instanceBase}echo/hello`} />
    </Empty>
  )
}

/** Holds new rows back while the pointer is down in the list, or while text in it is selected. */
function useHeldWhileSelecting(list: { current: HTMLDivElement | null }, live: LiveEntries): void {
  useEffect(() => {
    let isDown = false
    const down = () => {
      isDown = true
    }
    const up = () => {
      isDown = false
    }
    const element = list.current!
    element.addEventListener('pointerdown', down)
    addEventListener('pointerup', up)
    addEventListener('pointercancel', up)
    live.isBusy = () => {
      const selection = getSelection()
      return isDown || (selection !== null && !selection.isCollapsed && element.contains(selection.anchorNode))
    }
    return () => {
      element.removeEventListener('pointerdown', down)
      removeEventListener('pointerup', up)
      removeEventListener('pointercancel', up)
      live.isBusy = () => false
    }
  }, [])
}
