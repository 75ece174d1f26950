/** The objects in the answer of a GraphQL mock. */

/** Values of fields, by name. */
export type Values = Readonly<Record<string, unknown>>

/** An object of the answer, whose fields are computed on request. */
export class MockObject {
  readonly __typename: string
  /** The fields are by this key. */
  readonly key: string
  /** Values that are known. */
  readonly known: Values
  /** What an override changes in the generated values. */
  readonly merged: Values
  /** Whether fields that are not known are null: the object is the value of an override. */
  readonly isClosed: boolean
  /** Of an object without identity: what it passes on to the objects in its fields. */
  readonly passed: Passed

  constructor(
    type: string,
    { key, known = {}, merged = {}, isClosed = false, passed = {} }: Partial<MockObject> & { key: string },
  ) {
    this.__typename = type
    this.key = key
    this.known = known
    this.merged = merged
    this.isClosed = isClosed
    this.passed = passed
  }

  with(merged: Values): MockObject {
    return new MockObject(this.__typename, { ...this, merged: { ...this.merged, ...merged } })
  }
}

/** What objects have from where they are. */
export interface Passed {
  /** Place in a list. */
  index?: number
  /** Arguments by name and type: values of fields with the same. */
  given?: ReadonlyMap<string, unknown>
  /** Items of the lists. */
  size?: number
}

/** An object, or each of a list, with other values of some fields. */
export function mergedInto(base: unknown, patch: Values): unknown {
  if (base instanceof Promise) return base.then((resolved: unknown) => mergedInto(resolved, patch))
  if (base instanceof MockObject) return base.with(patch)
  return Array.isArray(base) ? base.map(item => mergedInto(item, patch)) : base
}
