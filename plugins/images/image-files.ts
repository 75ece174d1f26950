/** The images; their bytes never change. */

/** Formats in order of preference. */
export const IMAGES = {
  'image/webp': Buffer.from('UklGRioAAABXRUJQVlA4TB0AAAAvB8ABAA9AkG0b2nbk3yL/FljzH++EP8BH9D8eAAA=', 'base64'),
  'image/svg+xml': Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">
  <title>svc</title>
  <rect width="16" height="16" fill="#0f766e"/>
  <circle cx="8" cy="8" r="5" fill="#f97316"/>
</svg>
`),
  'image/jpeg': Buffer.from(
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAAI' +
      'AAgDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABoQAAEFAQAAAAAAAAAAAAAAABEAEzVjgfH/xAAVAQEBAAAAAAAAAAAAAAAAAAADBP/EAB4RAAAFBQEAAAAAAAAAAAAAAAARUYGREjE0NWFi/9oADAMBAAIRAxEAPwAJCtvSeKLC6bWlQ2080uZwg//Z',
    'base64',
  ),
  'image/png': Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQAQMAAAAlPW0iAAAABlBMVEX5cxYPdm6EybZQAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEElEQVQI12Ng+M+AFeEQBgB+vw/xWs16mgAAAABJRU5ErkJggg==',
    'base64',
  ),
  'image/gif': Buffer.from('R0lGODlhCAAIAIAAAA92bvlzFiH5BAQAAAAALAAAAAAIAAgAAAINjAMJh8q6DoTPSWvoKQA7', 'base64'),
} as const satisfies Record<string, Buffer>

export type ImageType = keyof typeof IMAGES

/** Media types in order of preference. */
export const IMAGE_TYPES = Object.keys(IMAGES) as ImageType[]
