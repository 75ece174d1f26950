/** Credentials in fields and in paths. */
import { readBasicCredentials } from 'svc/toolkit'

/** Null unless the field has the scheme Basic. */
export function basicCredentials(field: string): { username: string; password: string } | null {
  const [, credentials] = /^basic +(\S{1,1000})$/i.exec(field) ?? []
  return credentials === undefined ? null : readBasicCredentials(credentials)
}

/** A part of a path, decoded where possible. */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
