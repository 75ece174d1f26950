/** Azure AI Content Safety: analyzes the words in the URL of an image or in its file, never its pixels. */
import { isRecord } from 'svc/toolkit'
import { CATEGORIES, readCategories } from './azure.ts'
import { harmMatches, highestSeverity } from './findings.ts'
import { azureError } from './errors.ts'
import type { DetectorRegistry } from './types.ts'

/** Maximum size of an image; the limit of the real service. */
const MAX_BYTES = 4 * 1024 * 1024
const MAX_URL = 2048
/** Characters of a file that are searched for words. */
const MAX_SEARCHED = 65_536

export interface ImageOptions {
  /** The text to search. */
  text: string
  categories: string[]
}

/** Reads the body of `image:analyze`; nulls count as absent. */
export function parseImage(body: Record<string, unknown>): ImageOptions {
  const { image } = body
  if (!isRecord(image)) throw azureError('The field image is required and must be an object.', 'image')
  const { content, blobUrl } = image
  if ((content == null) === (blobUrl == null))
    throw azureError('The field image must have either content or blobUrl.', 'image')
  const output = body.outputType ?? 'FourSeverityLevels'
  if (output !== 'FourSeverityLevels')
    throw azureError('The field outputType must be FourSeverityLevels.', 'outputType')
  const categories = readCategories(body)
  return {
    text: content == null ? textOfUrl(blobUrl) : textOfContent(content),
    categories: CATEGORIES.filter(category => categories.includes(category)),
  }
}

/** The URL is never fetched. */
function textOfUrl(url: unknown): string {
  if (typeof url !== 'string' || url.length > MAX_URL || !URL.canParse(url))
    throw azureError(`The field image.blobUrl must be a URL of at most ${MAX_URL} characters.`, 'image.blobUrl')
  return url.replace(/[^A-Za-z0-9]+/g, ' ')
}

function textOfContent(content: unknown): string {
  if (typeof content !== 'string' || content === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(content))
    throw azureError('The field image.content must be a base64-encoded image.', 'image.content')
  const bytes = Buffer.from(content, 'base64')
  if (bytes.length > MAX_BYTES) throw azureError(`The image must have at most ${MAX_BYTES} bytes.`, 'image.content')
  return bytes.toString('latin1', 0, MAX_SEARCHED).replace(/[^ -~]+/g, ' ')
}

export function analyzeImage(registry: DetectorRegistry, { text, categories }: ImageOptions): object {
  const harm = harmMatches(registry, text)
  return {
    categoriesAnalysis: categories.map(category => {
      const severity = highestSeverity(harm.get(category) ?? [])
      return { category, severity: severity - (severity % 2) }
    }),
  }
}
