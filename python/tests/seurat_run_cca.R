# How the embeddings of seurat_run_cca.json were made, with Seurat 4.3.0 and R 4.2.2 of Debian 12: `Rscript seurat_run_cca.R FIRST.csv SECOND.csv`,
# counts with one row per cell. The second table has what Seurat finds from log-normalized, scaled counts, with values that are not cut off.
suppressMessages(library(Seurat))
counts <- lapply(commandArgs(TRUE), function(path) {
  x <- t(as.matrix(read.csv(path, header = FALSE)))
  storage.mode(x) <- "double"
  dimnames(x) <- list(paste0("g", seq_len(nrow(x))), paste0(basename(path), "_", seq_len(ncol(x))))
  x
})
scaled <- lapply(counts, function(x) {
  object <- NormalizeData(CreateSeuratObject(x), verbose = FALSE)
  GetAssayData(ScaleData(object, features = rownames(x), scale.max = 1e9, verbose = FALSE), slot = "scale.data")
})
for (pair in list(counts, scaled)) {
  found <- RunCCA(pair[[1]], pair[[2]], num.cc = 3)
  write.table(format(found$ccv, digits = 17), sep = ",", quote = FALSE, row.names = FALSE, col.names = FALSE)
}
