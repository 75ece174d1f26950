/** The fields of form bodies: urlencoded ones, and the text parts of multipart ones (RFC 7578). */
import { readFormParts } from '../fields/multipart.ts'

/** Values by name, in order. Empty for other media types, and for other bodies. */
export function formFields(body: Buffer, contentType: string | undefined): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>()
  const add = (name: string, value: string): void => void fields.set(name, [...(fields.get(name) ?? []), value])
  const mediaType = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (mediaType === 'application/x-www-form-urlencoded')
    for (const [name, value] of new URLSearchParams(body.toString('utf8'))) add(name, value)
  for (const { name, filename, content } of readFormParts(body, contentType)?.parts ?? [])
    if (filename === null) add(name, content.toString('utf8'))
  return fields
}
