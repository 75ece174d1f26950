/** Runs when the npm package is built: copies the files of Swagger UI, which `locate-swagger-ui.packed.ts` finds. */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { locateSwaggerUi } from './locate-swagger-ui.ts'
import { SWAGGER_UI_FILES } from './swagger-ui-files.ts'

/** Copies the files to the folder `out`. Returns the absolute paths of their sources. */
export async function pack(folder: string, out: string): Promise<string[]> {
  const names = Object.keys(SWAGGER_UI_FILES)
  const sources = names.map(name => locateSwaggerUi(folder, name))
  await Promise.all(names.map((name, index) => copyFile(sources[index]!, join(out, name))))
  return sources
}
