/** The clipboard and files to save. */
import { announce } from './announce.ts'

/** Copies text and says so to screen readers; false where the browser does not let us (plain HTTP, no permission). */
export async function copyText(text: string): Promise<boolean> {
  const isCopied = await writeClipboard(text)
  announce(isCopied ? 'Copied' : 'Copying is not allowed here')
  return isCopied
}

async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** `navigator.clipboard` is there in secure contexts only, and demos run on plain HTTP. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'off-screen'
  const focused = document.activeElement
  // A modal dialog makes everything outside of it inert.
  ;(document.querySelector('dialog[open]') ?? document.body).append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}

/** Offers a file to save. */
export function saveFile(name: string, mediaType: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type: mediaType }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
