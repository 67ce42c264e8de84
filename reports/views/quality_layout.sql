/*---
id      = "quality_layout"
title   = "Columns that a section is too short for"
grain   = "one row per structure and published section length"
needs   = []
note    = "Follows from the layouts; a test compares."

[columns]
structure = { unit = "text", kind = "text", doc = "Name of the structure." }
section_bytes = { unit = "bytes", kind = "key", doc = "Length of one section as the triplet gives it." }
columns_absent = { unit = "count", doc = "Columns of the structure whose field lies beyond a section of this length; reserved fields are not counted." }
---*/
SELECT structure, section_bytes::BIGINT AS section_bytes, columns_absent::BIGINT AS columns_absent
FROM (
  VALUES
    ('q5st', 668, 0), ('q5st', 672, 0), ('qcct', 48, 2), ('qcct', 64, 0), ('qcst', 324, 2), ('qcst', 340, 0), ('qct_adp', 32, 0),
    ('qct_dns', 48, 0), ('qct_dsp', 36, 0), ('qct_ssl', 48, 0), ('qesd', 328, 1), ('qesd', 336, 0), ('qest', 4104, 0),
    ('qis1', 104, 0), ('qist', 80, 0), ('qjst', 120, 48), ('qjst', 576, 27), ('qjst', 592, 23), ('qjst', 596, 22),
    ('qjst', 720, 0), ('qlst', 32, 0), ('qmac', 48, 0), ('qmst', 72, 32), ('qmst', 104, 28), ('qmst', 300, 3), ('qmst', 328, 0),
    ('qpst', 104, 0), ('qqst', 84, 79), ('qqst', 120, 72), ('qqst', 552, 15), ('qqst', 672, 0), ('qsgm', 48, 0), ('qsph', 88, 0),
    ('qsrs', 232, 0), ('qsst', 72, 0), ('qsst', 80, 0), ('qtst', 96, 0), ('qtst', 100, 0), ('qwac', 96, 13), ('qwac', 176, 0),
    ('qwhc', 92, 0), ('qwhs', 36, 2), ('qwhs', 52, 0), ('qwhx', 16, 0), ('wq', 576, 44), ('wq', 592, 40), ('wq', 608, 35),
    ('wq', 672, 23), ('wq', 704, 18), ('wq', 2752, 6), ('wq', 2788, 1), ('wq', 2792, 1), ('wq', 2800, 0), ('wtas', 704, 35),
    ('wtas', 2344, 0), ('wtid', 208, 0)
) AS known (structure, section_bytes, columns_absent)
