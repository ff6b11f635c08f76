//! Makes checksums match damaged contents, because the parser behind them would not be reached otherwise.

use serde_json::Value;

const BLOCK: usize = 1 << 18;

/// Makes the checksums of a safetensors file match, as far as its header can be understood.
pub fn checksums(bytes: &mut [u8]) -> Option<()> {
    let len = usize::try_from(u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?)).ok()?;
    let data = len.checked_add(8)?;
    let header: Value = serde_json::from_slice(bytes.get(8..data)?).ok()?;
    let mut tensors: Vec<(usize, usize)> = Vec::new();
    let mut sums_at = None;
    for (name, info) in header.as_object()? {
        let Some(offsets) = info["data_offsets"].as_array() else { continue };
        let place = |index: usize| usize::try_from(offsets.get(index)?.as_u64()?).ok()?.checked_add(data);
        let span = (place(0)?, place(1)?);
        if name == "checksums" { sums_at = Some(span) } else { tensors.push(span) }
    }
    tensors.sort_unstable();
    let mut sums = vec![crc32fast::hash(&bytes[..data])];
    for (start, end) in tensors {
        sums.extend(bytes.get(start..end)?.chunks(BLOCK).map(crc32fast::hash));
    }
    let (start, end) = sums_at?;
    let sums: Vec<u8> = sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
    if end.checked_sub(start)? == sums.len() {
        bytes.get_mut(start..end)?.copy_from_slice(&sums);
    }
    Some(())
}

/// Makes the length of the header match its text, which damage has made longer or shorter.
pub fn header_length(bytes: &mut [u8], whole: &[u8]) -> Option<()> {
    let before = u64::from_le_bytes(whole.get(..8)?.try_into().ok()?);
    let grown = bytes.len() as i64 - whole.len() as i64;
    let len = before.checked_add_signed(grown)?;
    bytes.get_mut(..8)?.copy_from_slice(&len.to_le_bytes());
    Some(())
}
