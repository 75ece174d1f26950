/** Files that a request names by their ids are described by their names and sizes. */
import type { Documents, Engine, RouteInput } from '../../llm/types.ts'
import { findFile } from './routes.ts'

export interface FileServices {
  engine: Engine
  documents: Documents
}

/** The objects with the files in their `content` described. Unknown files are an error. */
export async function nameFiles(
  { engine, documents }: FileServices,
  input: RouteInput,
  items: readonly Record<string, unknown>[],
): Promise<Record<string, unknown>[]> {
  const { json } = engine
  const described = async (file: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const id = json.textOf(file.file_id)
    if (id === undefined) return file
    const { name, bytes } = await findFile(engine, documents, input, id, { status: 400 })
    return { ...file, filename: `${name} (${bytes} bytes)` }
  }
  const named: Record<string, unknown>[] = []
  for (const item of items) {
    const content: unknown[] = []
    for (const given of json.listOf(item.content)) {
      const part = json.objectOf(given)
      if (part.type === 'input_file' || part.type === 'input_image') content.push(await described(part))
      else if (part.type === 'file') content.push({ ...part, file: await described(json.objectOf(part.file)) })
      else content.push(given)
    }
    named.push(Array.isArray(item.content) ? { ...item, content } : item)
  }
  return named
}
