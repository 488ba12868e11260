// Gives the user a text as a file.
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has read the address by the next turn of its loop.
  setTimeout(() => URL.revokeObjectURL(url))
}
