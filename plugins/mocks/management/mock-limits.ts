/** Limits of the stored mocks: the bounds of the stores, and what all mocks together can have. */
import { heldBytes } from 'svc/toolkit'
import type { StoreBounds } from 'svc/plugin'
import type { Bounds } from '../bounds.ts'
import type { Report } from '../check/report.ts'
import { managementError } from '../errors.ts'
import { documentCharacters, documentMemory, partMemory, type Mock, type MockRecord } from './mock.ts'

/** Memory of a record and of a version, without their parts. */
const RECORD_BYTES = 1024
const VERSION_BYTES = 1024
/** Memory of an entry of a report. */
const ISSUE_BYTES = 1024

/** Uploads are refused before a bound is reached: a store that evicts would lose a mock. */
export function recordBounds(bounds: Bounds): StoreBounds<MockRecord> {
  return {
    maxCount: 2 * bounds.mocks,
    maxBytes: bounds.totalDocumentMemory,
    sizeOf: record =>
      RECORD_BYTES + VERSION_BYTES * record.versions.length + partMemory(record) + reportMemory(record.draft?.report),
    watched: true,
  }
}

function reportMemory(report: Report | undefined): number {
  if (report === undefined) return 0
  const changes =
    (report.changes?.breaking.length ?? 0) +
    (report.changes?.dangerous?.length ?? 0) +
    (report.changes?.compatible.length ?? 0)
  return ISSUE_BYTES * (1 + report.errors.length + report.warnings.length + changes)
}

export function documentBounds(bounds: Bounds): StoreBounds<string> {
  return {
    maxCount: 2 * bounds.mocks * (bounds.versions + 1),
    maxBytes: bounds.totalDocumentMemory,
    sizeOf: heldBytes,
    immutable: true,
  }
}

/** A limit of all documents together. */
export interface DocumentLimit {
  limit: number
  unit: 'bytes' | 'bytes of memory'
}

/** The limit that the mocks would exceed with one more document and `parsed` bytes of memory for it; null if none. */
export function exceededLimit(
  mocks: readonly Mock[],
  { text, parsed }: { text: string; parsed: number },
  { totalDocumentBytes, totalDocumentMemory }: Bounds,
): DocumentLimit | null {
  const sumOf = (bytesOf: (mock: Mock) => number): number => mocks.reduce((sum, mock) => sum + bytesOf(mock), 0)
  if (sumOf(({ record }) => documentCharacters(record)) + text.length > totalDocumentBytes)
    return { limit: totalDocumentBytes, unit: 'bytes' }
  if (sumOf(documentMemory) + parsed + heldBytes(text) > totalDocumentMemory)
    return { limit: totalDocumentMemory, unit: 'bytes of memory' }
  return null
}

export function tooManyMocks(limit: number): Error {
  return managementError('too_many_mocks', `there are already ${limit} mocks, the maximum; delete one first`, { limit })
}

export function tooLarge({ limit, unit }: DocumentLimit): Error {
  return managementError('too_large', `all documents together can have at most ${limit} ${unit}; delete a mock first`, {
    limit,
  })
}
