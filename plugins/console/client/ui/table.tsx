/** A virtualized table: only visible rows are in the document. j, k, arrow keys and Enter select rows. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useKeys } from '../lib/shell/keys.ts'

export interface Column<T> {
  key: string
  title: string
  cell: (row: T) => ComponentChildren
  class?: string
}

export interface DataTableProps<T> {
  /** Accessible name. */
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string
  /** The row whose detail is shown. */
  selected?: string | null
  onSelect?(row: T): void
  /** Rows to mark in addition to the selected one. */
  isMarked?(row: T): boolean
  /** Called for a click with Ctrl or Cmd. */
  onMark?(row: T): void
  rowClass?(row: T): string
  /** Shown if there are no rows. */
  empty?: ComponentChildren
  /** Height of each row in rem. Default 2.25. */
  rowHeight?: number
}

/** Rows to render beyond the visible area on both sides. */
const OVERSCAN = 8

export function DataTable<T>({
  label,
  columns,
  rows,
  keyOf,
  selected = null,
  onSelect,
  isMarked,
  onMark,
  rowClass,
  empty,
  rowHeight = 2.25,
}: DataTableProps<T>) {
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const rowPixels = rowHeight * parseFloat(getComputedStyle(document.documentElement).fontSize)
  const selectedAt = selected === null ? -1 : rows.findIndex(row => keyOf(row) === selected)

  useLayoutEffect(() => {
    const element = scroller.current!
    const read = () => setView({ top: element.scrollTop, height: element.clientHeight })
    const observer = new ResizeObserver(read)
    observer.observe(element)
    element.addEventListener('scroll', read, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', read)
    }
  }, [])

  function choose(index: number): void {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)]
    if (row !== undefined) onSelect?.(row)
  }

  // New rows above the visible ones do not move them.
  const firstKey = rows[0] === undefined ? null : keyOf(rows[0])
  const lastFirst = useRef(firstKey)
  useLayoutEffect(() => {
    const element = scroller.current!
    const added =
      lastFirst.current === null || element.scrollTop === 0
        ? 0
        : rows.findIndex(row => keyOf(row) === lastFirst.current)
    lastFirst.current = firstKey
    if (added > 0) element.scrollTop += added * rowPixels
  }, [firstKey])

  /** Whether to scroll to the selected row, because it was selected with the keyboard. */
  const followsKeys = useRef(false)
  useEffect(() => {
    if (!followsKeys.current || selectedAt === -1) return
    followsKeys.current = false
    const element = scroller.current!
    const head = element.querySelector('thead')?.clientHeight ?? 0
    const top = selectedAt * rowPixels
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + rowPixels + head > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowPixels + head - element.clientHeight
    if (element.contains(document.activeElement))
      requestAnimationFrame(() => element.querySelector<HTMLElement>('tr.selected')?.focus({ preventScroll: true }))
  }, [selectedAt, rowPixels])

  const move = (by: number) => {
    if (rows.length === 0) return false
    followsKeys.current = true
    choose(selectedAt === -1 ? 0 : selectedAt + by)
    return undefined
  }
  const inTable = (by: number) => (event: KeyboardEvent) => {
    const target = event.target as HTMLElement
    return target === document.body || scroller.current!.contains(target) ? move(by) : false
  }
  useKeys(onSelect ? { j: () => move(1), k: () => move(-1), ArrowDown: inTable(1), ArrowUp: inTable(-1) } : {})

  const first = Math.max(0, Math.floor(view.top / rowPixels) - OVERSCAN)
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowPixels) + OVERSCAN)
  const spacer = (count: number) =>
    count > 0 && (
      <tr class="spacer" aria-hidden="true">
        {/* One cell: a wider one would bring back hidden columns, which then take space (CSS 2.1, 17.5.2.1). */}
        <td style={{ height: `${count * rowPixels}px` }} />
      </tr>
    )

  return (
    <div
      class="table-scroll"
      ref={scroller}
      tabIndex={rows.length > 0 ? 0 : undefined}
      role="group"
      aria-label={`${label}, scrollable`}
    >
      <table
        class="data-table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        style={{ '--row': `${rowHeight}rem` }}
      >
        <thead>
          <tr>
            {columns.map(({ key, title, class: extra }) => (
              <th key={key} scope="col" class={extra ?? ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {spacer(first)}
          {rows.slice(first, last).map((row, index) => {
            const key = keyOf(row)
            return (
              <tr
                key={key}
                aria-rowindex={first + index + 2}
                tabIndex={onSelect ? (key === selected || (selectedAt === -1 && index === 0) ? 0 : -1) : undefined}
                aria-selected={onSelect ? key === selected : undefined}
                class={`${key === selected ? 'selected' : ''} ${isMarked?.(row) ? 'marked' : ''} ${rowClass?.(row) ?? ''}`}
                onClick={event => ((event.ctrlKey || event.metaKey) && onMark ? onMark(row) : onSelect?.(row))}
                onKeyDown={event => {
                  if (event.key === 'Enter' && event.target === event.currentTarget) onSelect?.(row)
                }}
              >
                {columns.map(({ key: column, cell, class: extra }) => (
                  <td key={column} class={extra ?? ''}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            )
          })}
          {spacer(rows.length - last)}
        </tbody>
      </table>
      {rows.length === 0 && empty}
    </div>
  )
}
