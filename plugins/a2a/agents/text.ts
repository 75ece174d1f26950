/** Owns reading the text of a message and the places it mentions. */
import { copyText } from 'svc/toolkit'
import type { Message } from '../types.ts'

/** The text parts of a message, joined with one space. */
export function textOf(message: Message): string {
  return message.parts.flatMap(part => ('text' in part ? [part.text] : [])).join(' ')
}

const MAX_PLACE = 48
/** What ends the name of a place in any text: the sentence, the line, or the next request. */
const STOPS = ['\n', '\r', '?', '.', '!', ',', ';', ' and ', ' for ', ' please']

/**
 * The place after the last `marker` (such as ` in `), up to the end of the line or sentence, ` and `, ` for `, ` please` or the
 * first of `stops`; null if the text names no place.
 */
export function placeIn(text: string, marker: string, stops: readonly string[]): string | null {
  const padded = ` ${text} `
  const lower = asciiLower(padded)
  const start = lower.lastIndexOf(marker)
  if (start === -1) return null
  const from = start + marker.length
  const ends = [...STOPS, ...stops].map(stop => lower.indexOf(stop, from)).filter(end => end !== -1)
  return formPlace(padded.slice(from, Math.min(padded.length, ...ends)))
}

/** Trimmed, each word capitalized, at most 48 characters; null if empty. A copy, so the message can be freed. */
export function formPlace(text: string): string | null {
  const words = text
    .slice(0, 4 * MAX_PLACE)
    .trim()
    .split(/\s+/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
  return copyText(words.join(' ').slice(0, MAX_PLACE).trim()) || null
}

/** Keeps all positions; lower-casing other letters can change the length. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, letter => letter.toLowerCase())
}
