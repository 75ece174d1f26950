/** Finds file descriptors by name and by symbol. Their bytes are passed on as the compiler wrote them. */
import { readFields } from './wire.ts'

interface File {
  bytes: Buffer
  imports: string[]
}

export interface DescriptorIndex {
  /** The file of that name and, behind it, all that it imports; null for an unknown one. */
  byFilename(name: string): Buffer[] | null
  /** The same for the file that defines a service, method, message or enum, by its full name. */
  bySymbol(symbol: string): Buffer[] | null
  isMessage(symbol: string): boolean
  services: readonly string[]
}

/** Numbers of the fields in `google/protobuf/descriptor.proto`. */
const SET = { file: 1 }
const FILE = { name: 1, package: 2, dependency: 3, message: 4, enum: 5, service: 6 }
const MESSAGE = { name: 1, nested: 3, enum: 4 }
const SERVICE = { name: 1, method: 2 }

/** Indexes a FileDescriptorSet. */
export function createDescriptorIndex(descriptorSet: Buffer): DescriptorIndex {
  const files = new Map<string, File>()
  const symbols = new Map<string, string>()
  const messages = new Set<string>()
  const services: string[] = []

  for (const bytes of readFields(descriptorSet).get(SET.file) ?? []) {
    const fields = readFields(bytes)
    const filename = textOf(fields, FILE.name)
    const scope = textOf(fields, FILE.package)
    const define = (outer: string, part: Map<number, Buffer[]>): string => {
      const symbol = outer === '' ? textOf(part, 1) : `${outer}.${textOf(part, 1)}`
      symbols.set(symbol, filename)
      return symbol
    }
    const defineMessage = (outer: string, message: Buffer): void => {
      const part = readFields(message)
      const symbol = define(outer, part)
      messages.add(symbol)
      for (const nested of part.get(MESSAGE.nested) ?? []) defineMessage(symbol, nested)
      for (const nested of part.get(MESSAGE.enum) ?? []) define(symbol, readFields(nested))
    }
    files.set(filename, { bytes, imports: (fields.get(FILE.dependency) ?? []).map(String) })
    for (const message of fields.get(FILE.message) ?? []) defineMessage(scope, message)
    for (const part of fields.get(FILE.enum) ?? []) define(scope, readFields(part))
    for (const service of fields.get(FILE.service) ?? []) {
      const part = readFields(service)
      const symbol = define(scope, part)
      services.push(symbol)
      for (const method of part.get(SERVICE.method) ?? []) define(symbol, readFields(method))
    }
  }

  function withImports(name: string): Buffer[] | null {
    if (!files.has(name)) return null
    const found = new Set([name])
    // A set is walked over what is added to it meanwhile.
    for (const each of found) for (const imported of files.get(each)!.imports) found.add(imported)
    return [...found].map(each => files.get(each)!.bytes)
  }

  return {
    byFilename: withImports,
    bySymbol: symbol => (symbols.has(symbol) ? withImports(symbols.get(symbol)!) : null),
    isMessage: symbol => messages.has(symbol),
    services: services.toSorted(),
  }
}

function textOf(fields: Map<number, Buffer[]>, number: number): string {
  return fields.get(number)?.at(-1)?.toString('utf8') ?? ''
}
