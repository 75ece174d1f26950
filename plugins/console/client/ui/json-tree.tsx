/** A JSON value as a collapsible tree. URLs in strings are plain text, not links. */
import { useState } from 'preact/hooks'

/** Members to show at first; a button shows more. */
const PAGE = 100
const MAX_TEXT = 2000

export interface JsonTreeProps {
  value: unknown
  /** Number of initially open levels. */
  depth?: number
}

export function JsonTree({ value, depth = 2 }: JsonTreeProps) {
  return (
    <div class="json-tree mono">
      <Node name={null} value={value} depth={depth} isLast />
    </div>
  )
}

interface NodeProps {
  name: string | null
  value: unknown
  depth: number
  isLast: boolean
}

function Node({ name, value, depth, isLast }: NodeProps) {
  const isBranch = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  return isBranch ? (
    <Branch {...{ name, value, depth, isLast }} />
  ) : (
    <div class="leaf">
      <Key name={name} />
      <Scalar value={value} />
      {!isLast && ','}
    </div>
  )
}

function Branch({ name, value, depth, isLast }: NodeProps & { value: object }) {
  const [isOpen, setOpen] = useState(depth > 0)
  const [shown, setShown] = useState(PAGE)
  const isList = Array.isArray(value)
  const members = Object.entries(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const size = `${members.length} ${isList ? 'item' : 'member'}${members.length === 1 ? '' : 's'}`
  return (
    <div class="branch">
      <button
        type="button"
        class="toggle"
        aria-expanded={isOpen}
        aria-label={`${name ?? 'value'}, ${size}`}
        onClick={() => setOpen(!isOpen)}
      />
      <Key name={name} />
      {open}
      {isOpen ? (
        <>
          <div class="members">
            {members.slice(0, shown).map(([key, item], index) => (
              <Node
                key={key}
                name={isList ? null : key}
                value={item}
                depth={depth - 1}
                isLast={index === members.length - 1}
              />
            ))}
            {members.length > shown && (
              <button type="button" class="button small" onClick={() => setShown(shown + 10 * PAGE)}>
                {members.length - shown} more
              </button>
            )}
          </div>
          <span class="closing">
            {close}
            {!isLast && ','}
          </span>
        </>
      ) : (
        <span class="folded">
          {' '}
          {size} {close}
          {!isLast && ','}
        </span>
      )}
    </div>
  )
}

function Key({ name }: { name: string | null }) {
  return name === null ? null : (
    <>
      <span class="json-key">{JSON.stringify(name)}</span>:{' '}
    </>
  )
}

function Scalar({ value }: { value: unknown }) {
  const kind = value === null ? 'null' : Array.isArray(value) || typeof value === 'object' ? 'empty' : typeof value
  const text = JSON.stringify(value) ?? String(value)
  return <span class={`json-${kind}`}>{text.length > MAX_TEXT ? <LongText text={text} /> : text}</span>
}

function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  return isWhole ? (
    <>{text}</>
  ) : (
    <>
      {text.slice(0, MAX_TEXT)}
      <button type="button" class="button small" onClick={() => setWhole(true)}>
        {text.length - MAX_TEXT} more characters
      </button>
    </>
  )
}
