/** A parsed document: its version, references and components. */
import { shownText } from 'svc/toolkit'
import type { Bounds } from '../bounds.ts'
import { own, ownObject, ownText, type Json, type JsonObject } from './json.ts'
import { References } from './references.ts'

export class ApiDocument {
  readonly root: JsonObject
  readonly references: References
  /** OpenAPI 3.0 has its own schema dialect; 3.1 uses JSON Schema 2020-12. */
  readonly dialect: '3.0' | '3.1'
  readonly title: string
  readonly apiVersion: string
  readonly openapi: string

  constructor(root: JsonObject, bounds: Bounds) {
    this.root = root
    this.references = new References(root, bounds.refChain)
    this.openapi = ownText(root, 'openapi') ?? ''
    this.dialect = this.openapi.startsWith('3.0') ? '3.0' : '3.1'
    const info = ownObject(root, 'info')
    this.title = ownText(info, 'title') ?? ''
    this.apiVersion = shownText(own(info, 'version') ?? '')
  }

  /** The object behind a value that may be a reference. */
  resolve(value: Json | undefined): JsonObject | undefined {
    return this.references.resolve(value)
  }

  /** A component by name, such as `component('securitySchemes', 'key')`. */
  component(kind: string, name: string): JsonObject | undefined {
    return this.resolve(own(ownObject(ownObject(this.root, 'components'), kind), name))
  }
}
