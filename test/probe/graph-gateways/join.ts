/** Plans and executes queries of the toy gateway: level by level, one request a subgraph and level. */
import { Kind, parse, print, type FieldNode, type OperationDefinitionNode, type SelectionSetNode } from 'graphql'
import { isRecord } from 'svc/toolkit'
import type { OwnedType, Supergraph } from './supergraph.ts'

type Path = readonly (string | number)[]
type Row = Record<string, unknown>

export interface JoinError {
  path: Path
  message: string
  code: string | null
}

export interface SubgraphAnswer {
  data: unknown
  errors: { message: string; path?: Path; extensions?: { code?: string } }[]
  /** Nothing of GraphQL came back. */
  isFailed: boolean
}

export interface JoinOptions {
  supergraph: Supergraph
  ask(graph: string, body: { query: string; variables?: object }, isOfEntities: boolean): Promise<SubgraphAnswer>
  /** What is wrong with it. */
  faults: ReadonlySet<string>
}

/** An object whose fields of other subgraphs are still missing. */
interface Missing {
  row: Row
  path: Path
  type: string
  fields: FieldNode[]
}

interface Askable {
  item: Missing
  fields: FieldNode[]
  key: string
}

const HIDDEN = '_k_'

export class Join {
  readonly #options: JoinOptions
  readonly errors: JoinError[] = []

  constructor(options: JoinOptions) {
    this.#options = options
  }

  /** The raw data, by response names; values are not checked. */
  async run(operation: OperationDefinitionNode): Promise<Row> {
    const { faults } = this.#options
    const type = operation.operation === 'mutation' ? 'Mutation' : 'Query'
    const fields = fieldsIn(operation.selectionSet)
    const row: Row = {}
    const groups =
      operation.operation === 'mutation'
        ? runsOf(fields, field => this.#ownerOf(type, field))
        : grouped(fields, field => this.#ownerOf(type, field))
    const splits = faults.has('splits aliases')
      ? groups.flatMap(({ key, items }) => chunks(items, 45).map(part => ({ key, items: part })))
      : groups
    const work = splits.map(({ key, items }) => async (): Promise<Missing[]> => {
      if (key === null) return []
      const built = this.#build(key, type, items)
      const answer = await this.#options.ask(key, { query: `${operation.operation} ${built}` }, false)
      this.#noteErrors(answer, [], items)
      if (isRecord(answer.data)) Object.assign(row, answer.data)
      return this.#missingIn(key, type, row, items, [])
    })
    const isSerial = operation.operation === 'mutation' ? !faults.has('mutations at once') : faults.has('one by one')
    const missing: Missing[] = []
    if (isSerial) for (const one of work) missing.push(...(await one()))
    else missing.push(...(await Promise.all(work.map(one => one()))).flat())
    await this.complete(missing)
    return row
  }

  /** The document for the root fields of a subscription, which one subgraph has. */
  subscription(operation: OperationDefinitionNode): { graph: string; query: string } {
    const fields = fieldsIn(operation.selectionSet)
    const graph = this.#ownerOf('Subscription', fields[0]!)!
    return { graph, query: `subscription ${this.#build(graph, 'Subscription', fields)}` }
  }

  /** Adds what an event of a subscription lacks. */
  async event(graph: string, operation: OperationDefinitionNode, data: Row): Promise<Row> {
    await this.complete(this.#missingIn(graph, 'Subscription', data, fieldsIn(operation.selectionSet), []))
    return data
  }

  #ownerOf(type: string, field: FieldNode): string | null {
    const name = field.name.value
    if (type === 'Product' && name === 'stock' && this.#options.faults.has('ignores overrides')) return 'PRODUCTS'
    const owners = [...(this.#type(type).fields.get(name)?.owners.keys() ?? [])]
    return owners.find(graph => graph !== 'ORDERS') ?? owners[0] ?? null
  }

  #type(name: string): OwnedType {
    return this.#options.supergraph.types.get(name)!
  }

  /** Whether the subgraph answers the field where its object is. */
  #isAt(graph: string, type: string, name: string, provided: string): boolean {
    if (name === '__typename' || provided.split(' ').includes(name)) return true
    if (type === 'Product' && name === 'stock' && this.#options.faults.has('ignores overrides'))
      return graph === 'PRODUCTS'
    const owner = this.#type(type).fields.get(name)?.owners.get(graph)
    return owner !== undefined && owner.requires === null
  }

  #build(graph: string, type: string, fields: readonly FieldNode[], provided = ''): string {
    const parts: string[] = []
    let isPartial = false
    for (const field of fields) {
      const name = field.name.value
      if (!this.#isAt(graph, type, name, provided)) {
        isPartial = true
        continue
      }
      const owned = this.#type(type).fields.get(name)
      const sub =
        field.selectionSet === undefined
          ? ''
          : ` ${this.#build(graph, owned!.typeName, fieldsIn(field.selectionSet), owned!.provides.get(graph) ?? '')}`
      parts.push(`${print({ ...field, directives: [], selectionSet: undefined })}${sub}`)
    }
    const { isAbstract, fields: known } = this.#type(type)
    if (isAbstract || isPartial) parts.push('__typename')
    if (isPartial)
      for (const key of ['id', 'sku', 'email'])
        if (known.get(key)?.owners.has(graph)) parts.push(`${HIDDEN}${key}: ${key}`)
    return `{ ${parts.length === 0 ? '__typename' : parts.join(' ')} }`
  }

  /** Goes through the rows that a subgraph has answered. */
  #missingIn(
    graph: string,
    type: string,
    row: unknown,
    fields: readonly FieldNode[],
    path: Path,
    provided = '',
  ): Missing[] {
    if (Array.isArray(row))
      return row.flatMap((one, index) => this.#missingIn(graph, type, one, fields, [...path, index], provided))
    if (!isRecord(row)) return []
    const found: Missing[] = []
    const missing: FieldNode[] = []
    for (const field of fields) {
      const name = field.name.value
      const key = field.alias?.value ?? name
      if (!this.#isAt(graph, type, name, provided)) missing.push(field)
      else if (field.selectionSet !== undefined) {
        const owned = this.#type(type).fields.get(name)!
        const own = fieldsIn(field.selectionSet)
        found.push(
          ...this.#missingIn(graph, owned.typeName, row[key], own, [...path, key], owned.provides.get(graph) ?? ''),
        )
      }
    }
    const isRoot = type === 'Query' || type === 'Mutation' || type === 'Subscription'
    if (missing.length > 0 && !isRoot) found.push({ row, path, type, fields: missing })
    return found
  }

  /** Asks for what is missing, until nothing is left or nothing helps. */
  async complete(items: Missing[]): Promise<void> {
    let left = items
    for (let round = 0; round < 10 && left.length > 0; round++) {
      const asked: { graph: string; item: Missing; fields: FieldNode[] }[] = []
      const later: Missing[] = []
      for (const item of left) {
        for (const { key: graph, items: fields } of grouped(item.fields, field => this.#ownerOf(item.type, field))) {
          if (graph === null) continue
          const needed = this.#neededFor(graph, item, fields)
          if (needed.length === 0) asked.push({ graph, item, fields })
          else {
            later.push({ ...item, fields })
            for (const { graph: other, field } of needed) asked.push({ graph: other, item, fields: [field] })
          }
        }
      }
      if (asked.length === 0) return
      const next: Missing[] = []
      const work = grouped(asked, ({ graph }) => graph).map(({ key, items: own }) => async () => {
        next.push(...(await this.#askEntities(key!, own)))
      })
      if (this.#options.faults.has('one by one')) for (const one of work) await one()
      else await Promise.all(work.map(one => one()))
      left = [...next, ...later]
    }
  }

  /** What has to be asked elsewhere before the subgraph can be asked. */
  #neededFor(
    graph: string,
    { row, type }: Missing,
    fields: readonly FieldNode[],
  ): { graph: string; field: FieldNode }[] {
    const needed: { graph: string; field: FieldNode }[] = []
    const add = (text: string): void => {
      for (const field of fieldsOfText(text)) {
        const name = `${HIDDEN}${field.name.value}`
        if (row[name] !== undefined) continue
        const own = { ...field, alias: { kind: Kind.NAME, value: name } } as FieldNode
        const owner = this.#ownerOf(type, field)
        if (owner !== null && owner !== graph) needed.push({ graph: owner, field: own })
      }
    }
    if (this.#keyFor(graph, type, row) === null) {
      const [key = ''] = this.#keysOf(graph, type)
      const { fields: known, keys } = this.#type(type)
      const other = [...keys.keys()].find(
        one => one !== graph && this.#keyFor(one, type, row) !== null && known.get(key)?.owners.has(one) === true,
      )
      for (const field of other === undefined ? [] : fieldsOfText(key))
        needed.push({
          graph: other!,
          field: { ...field, alias: { kind: Kind.NAME, value: `${HIDDEN}${key}` } } as FieldNode,
        })
    }
    for (const field of fields) {
      const requires = this.#type(type).fields.get(field.name.value)?.owners.get(graph)?.requires
      if (requires != null) add(requires)
    }
    return needed
  }

  #keysOf(graph: string, type: string): string[] {
    const own = this.#type(type).keys.get(graph)
    if (own !== undefined) return own
    const [shared] = this.#type(type).interfaces
    return shared === undefined ? [] : (this.#type(shared).keys.get(graph) ?? [])
  }

  #keyFor(graph: string, type: string, row: Row): string | null {
    return this.#keysOf(graph, type).find(key => row[`${HIDDEN}${key}`] !== undefined) ?? null
  }

  async #askEntities(graph: string, items: { item: Missing; fields: FieldNode[] }[]): Promise<Missing[]> {
    const { faults } = this.#options
    const usable = items.flatMap(one => {
      const key = this.#keyFor(graph, one.item.type, one.item.row)
      return key === null ? [] : [{ ...one, key }]
    })
    if (usable.length === 0) return []
    const groups = faults.has('each entity alone') ? usable.map(one => [one]) : [usable]
    return (await Promise.all(groups.map(own => this.#askTogether(graph, own)))).flat()
  }

  /** Items with the same fields share a list of entities, all lists a request. */
  async #askTogether(graph: string, items: Askable[]): Promise<Missing[]> {
    const { faults } = this.#options
    const lists = grouped(
      items,
      ({ item, fields }) => `${this.#nameAt(graph, item)} ${fields.map(one => print(one)).join(' ')}`,
    ).map(({ items: own }) => this.#listOf(graph, own))
    const variables = Object.fromEntries(
      lists.map(({ rows }, index) => [
        `r${index}`,
        faults.has('keys of null')
          ? [...rows.map(({ value }) => value), { ...rows[0]!.value, id: null }]
          : rows.map(({ value }) => value),
      ]),
    )
    const parameters = lists.map((_list, index) => `$r${index}: [_Any!]!`).join(', ')
    const fields = lists.map(
      ({ fragment }, index) => `e${index}: _entities(representations: $r${index}) { ${fragment} }`,
    )
    const answer = await this.#options.ask(
      graph,
      { query: `query(${parameters}) { ${fields.join(' ')} }`, variables },
      true,
    )
    const missing: Missing[] = []
    for (const [at, { rows }] of lists.entries()) {
      const found = isRecord(answer.data) ? answer.data[`e${at}`] : null
      const entities: unknown[] = Array.isArray(found) ? found : []
      for (const [index, { items: own }] of rows.entries())
        for (const { item, fields: wanted } of own) {
          const entity = entities[index]
          if (isRecord(entity)) {
            Object.assign(item.row, structuredClone(entity))
            const here = wanted.filter(field => this.#isOwn(graph, item.type, field))
            missing.push(...this.#missingIn(graph, item.type, item.row, here, item.path))
          }
          this.#noteErrors(answer, item.path, wanted, { list: `e${at}`, index })
        }
    }
    return missing
  }

  #nameAt(graph: string, { type }: Missing): string {
    const own = this.#type(type)
    return own.keys.has(graph) ? type : (own.interfaces[0] ?? type)
  }

  #listOf(graph: string, items: Askable[]): { fragment: string; rows: { value: Row; items: Askable[] }[] } {
    const rows = new Map<string, { value: Row; items: Askable[] }>()
    for (const one of items) {
      const { row, type } = one.item
      const value: Row = { __typename: this.#nameAt(graph, one.item), [one.key]: row[`${HIDDEN}${one.key}`] }
      for (const field of one.fields) {
        const requires = this.#type(type).fields.get(field.name.value)?.owners.get(graph)?.requires
        for (const required of requires == null ? [] : fieldsOfText(requires))
          value[required.name.value] = row[`${HIDDEN}${required.name.value}`]
      }
      const id = JSON.stringify(value)
      rows.set(id, { value, items: [...(rows.get(id)?.items ?? []), one] })
    }
    const [{ item, fields }] = items as [Askable, ...Askable[]]
    const text = fields.map(field => this.#buildEntity(graph, item.type, field)).join(' ')
    return { fragment: `... on ${this.#nameAt(graph, item)} { ${text} }`, rows: [...rows.values()] }
  }

  #isOwn(graph: string, type: string, field: FieldNode): boolean {
    return this.#isAt(graph, type, field.name.value, '')
  }

  #buildEntity(graph: string, type: string, field: FieldNode): string {
    const owned =
      this.#type(type).fields.get(field.name.value) ??
      this.#type(this.#type(type).interfaces[0]!).fields.get(field.name.value)!
    const sub =
      field.selectionSet === undefined
        ? ''
        : ` ${this.#build(graph, owned.typeName, fieldsIn(field.selectionSet), owned.provides.get(graph) ?? '')}`
    return `${print({ ...field, directives: [], selectionSet: undefined })}${sub}`
  }

  /** Errors of a subgraph get the paths of clients; without one, those of all selected fields. */
  #noteErrors(
    { errors }: SubgraphAnswer,
    path: Path,
    fields: readonly FieldNode[],
    entity: { list: string; index: number } | null = null,
  ): void {
    for (const { message, path: own, extensions } of errors) {
      const code = extensions?.code ?? null
      const isOfEntity = entity !== null && own !== undefined && own.length > 2 && String(own[0]).startsWith('e')
      if (isOfEntity && (own[0] !== entity.list || own[1] !== entity.index)) continue
      if (isOfEntity) this.errors.push({ path: [...path, ...own.slice(2)], message, code })
      else if (entity === null && own !== undefined) this.errors.push({ path: own, message, code })
      else
        for (const field of fields)
          this.errors.push({ path: [...path, field.alias?.value ?? field.name.value], message, code })
    }
  }
}

/** Fields of a selection; fragments without a condition are part of it. */
export function fieldsIn({ selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap(one =>
    one.kind === Kind.FIELD
      ? one.name.value.startsWith('__')
        ? []
        : [one]
      : one.kind === Kind.INLINE_FRAGMENT
        ? fieldsIn(one.selectionSet)
        : [],
  )
}

/** `price dimensions{weightGrams}`. */
function fieldsOfText(text: string): FieldNode[] {
  return fieldsIn(parseSelection(text))
}

function parseSelection(text: string): SelectionSetNode {
  const [definition] = parse(`{ ${text} }`).definitions
  return (definition as OperationDefinitionNode).selectionSet
}

function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K): { key: K; items: T[] }[] {
  const groups = new Map<K, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return [...groups].map(([key, own]) => ({ key, items: own }))
}

/** Neighbors with the same key, so that the order stays. */
function runsOf<T, K>(items: readonly T[], keyOf: (item: T) => K): { key: K; items: T[] }[] {
  const runs: { key: K; items: T[] }[] = []
  for (const item of items) {
    const key = keyOf(item)
    const last = runs.at(-1)
    if (last !== undefined && last.key === key) last.items.push(item)
    else runs.push({ key, items: [item] })
  }
  return runs
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
